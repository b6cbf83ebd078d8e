/**
 * One pool of connections, divided into lanes. Each lane has reserved connections that no other lane can use, and shares the spare
 * connections. A lane prefers the idle connection that it used last, then an idle connection with its session settings. Only when all
 * connections are open does a lane change the settings of another idle connection, which takes a round trip.
 */
import { type LaneLimits, LaneSlots, type SlotLane } from '../concurrency/lane-slots.ts';
import { type PoolName, watchPool } from '../observe/pools.ts';
import { DatabaseUnavailable } from './connection-budget.ts';
import { PooledClient, WatchedClient } from './pooled-client.ts';
import { type SessionOptions, type SessionSettings, sessionSettings } from './session-settings.ts';
import { TIMINGS } from './timings.ts';

export interface PoolOptions {
  /** Called when an idle connection has ended. The database may be unavailable. */
  onLost?: () => void;
  /** See `SessionOptions`. Applies to all lanes. */
  patient?: boolean;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'connectTimeoutMs' | 'idleConnectionMs'>;
}

export interface PoolLaneOptions extends LaneLimits, Omit<SessionOptions, 'patient'> {
  /** The name under which metrics report how busy the lane is. */
  name?: PoolName;
}

/** The part of `pg.Pool` that Kysely uses. */
export interface PoolLane {
  /** @throws DatabaseUnavailable if no connection becomes free or opens in time */
  connect(): Promise<PooledClient>;
  /** Resolves when all connections of the lane are released. */
  end(): Promise<void>;
}

interface Lane {
  readonly slots: SlotLane;
  readonly settings: SessionSettings;
  /** Functions that reject a waiting caller. */
  readonly abandoned: Set<(error: Error) => void>;
  isEnding: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

interface Connection {
  readonly client: PooledClient;
  /** The lane that uses the connection, or used it last. */
  lane: Lane;
  idleSinceMs: number;
}

export class LanePool {
  readonly #url: string;
  readonly #options: PoolOptions;
  readonly #connectTimeoutMs: number;
  readonly #idleConnectionMs: number;
  readonly #slots = new LaneSlots();
  readonly #lanes: Lane[] = [];
  readonly #open = new Set<Connection>();
  /** Idle connections; the most recently used connection comes last. */
  #idle: Connection[] = [];
  #closing: NodeJS.Timeout | undefined;

  /** @param url a postgres:// URL; the directory of a Unix socket is percent-encoded as the host */
  constructor(url: string, options: PoolOptions = {}) {
    this.#url = url;
    this.#options = options;
    ({ connectTimeoutMs: this.#connectTimeoutMs, idleConnectionMs: this.#idleConnectionMs } =
      options.timings ?? TIMINGS);
  }

  /** The maximum number of connections for the current lanes. */
  get max(): number {
    return this.#slots.total;
  }

  open({ name, own, max, ...session }: PoolLaneOptions): PoolLane {
    const lane: Lane = {
      slots: this.#slots.open({ own, max }),
      settings: sessionSettings({ ...session, patient: this.#options.patient ?? false }),
      abandoned: new Set(),
      isEnding: false,
      ended: Promise.withResolvers(),
    };
    this.#lanes.push(lane);
    if (name !== undefined) {
      const counted = (): number => this.#idle.filter((connection) => connection.lane === lane).length;
      watchPool(name, () => ({ max, busy: lane.slots.busy, idle: counted(), waiting: lane.slots.waiting }));
    }
    return { connect: () => this.#connect(lane), end: () => this.#end(lane) };
  }

  async #connect(lane: Lane): Promise<PooledClient> {
    await this.#takeSlot(lane);
    try {
      const connection = this.#takeIdle(lane) ?? (await this.#openOne(lane));
      connection.lane = lane;
      try {
        await connection.client.use(lane.settings);
      } catch (error) {
        this.#close(connection);
        throw error;
      }
      return this.#handOut(connection);
    } catch (error) {
      this.#releaseSlot(lane);
      throw error;
    }
  }

  async #takeSlot({ slots, abandoned, isEnding }: Lane): Promise<void> {
    if (isEnding) throw closed();
    if (this.#slots.tryTake(slots)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = this.#slots.wait(slots, resolve);
    const abandon = (error: Error): void => {
      leave();
      reject(error);
    };
    const timer = setTimeout(
      () => abandon(new DatabaseUnavailable('timeout exceeded when trying to connect')),
      this.#connectTimeoutMs,
    );
    abandoned.add(abandon);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      abandoned.delete(abandon);
    }
  }

  #releaseSlot(lane: Lane): void {
    this.#slots.release(lane.slots);
    this.#endIfIdle(lane);
  }

  /** @returns null if a new connection should be opened */
  #takeIdle(lane: Lane): Connection | null {
    const found =
      this.#idle.findLast((connection) => connection.lane === lane) ??
      this.#idle.findLast(({ client }) => client.settings === lane.settings) ??
      (this.#open.size < this.#slots.total ? undefined : this.#idle[0]);
    if (found === undefined) return null;
    this.#idle.splice(this.#idle.indexOf(found), 1);
    return found;
  }

  async #openOne(lane: Lane): Promise<Connection> {
    const Client = this.#options.patient === true ? PooledClient : WatchedClient;
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: this.#connectTimeoutMs,
      keepAlive: true,
      application_name: 'posthorn',
    });
    const connection: Connection = { client, lane, idleSinceMs: 0 };
    this.#open.add(connection);
    // pg's own timeout starts only when pg begins to connect: after a host was chosen and the connection budget allowed the connection.
    const timer = setTimeout(() => client.connection.stream.destroy(), this.#connectTimeoutMs);
    try {
      await client.connect();
    } catch (error) {
      this.#open.delete(connection);
      throw error;
    } finally {
      clearTimeout(timer);
    }
    // After an idle connection is lost, the next query opens another connection or reports that the server is unavailable.
    client.on('error', () => {
      if (!this.#idle.includes(connection)) return;
      this.#close(connection);
      this.#options.onLost?.();
    });
    return connection;
  }

  #handOut(connection: Connection): PooledClient {
    const { client, lane } = connection;
    let isReleased = false;
    client.release = (error) => {
      if (isReleased) throw new Error('the connection was already released');
      isReleased = true;
      if (error === true || error instanceof Error || client.fault !== null) this.#close(connection);
      else this.#addIdle(connection);
      this.#releaseSlot(lane);
    };
    return client;
  }

  #addIdle(connection: Connection): void {
    connection.idleSinceMs = performance.now();
    this.#idle.push(connection);
    this.#closing ??= setTimeout(() => this.#closeIdle(), this.#idleConnectionMs);
  }

  #closeIdle(): void {
    this.#closing = undefined;
    const untilMs = performance.now() - this.#idleConnectionMs;
    for (const connection of this.#idle.filter(({ idleSinceMs }) => idleSinceMs <= untilMs))
      this.#close(connection);
    const [first] = this.#idle;
    if (first !== undefined)
      this.#closing = setTimeout(() => this.#closeIdle(), Math.ceil(first.idleSinceMs - untilMs));
  }

  #close(connection: Connection): void {
    this.#open.delete(connection);
    this.#idle = this.#idle.filter((each) => each !== connection);
    connection.client.end().catch(() => {});
  }

  async #end(lane: Lane): Promise<void> {
    lane.isEnding = true;
    for (const abandon of lane.abandoned) abandon(closed());
    this.#endIfIdle(lane);
    await lane.ended.promise;
  }

  #endIfIdle(lane: Lane): void {
    if (!lane.isEnding || lane.slots.busy > 0) return;
    lane.ended.resolve();
    if (!this.#lanes.every(({ isEnding, slots }) => isEnding && slots.busy === 0)) return;
    clearTimeout(this.#closing);
    this.#closing = undefined;
    for (const connection of this.#idle) this.#close(connection);
  }
}

function closed(): Error {
  return new Error('the connection pool is closed');
}
