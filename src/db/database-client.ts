/**
 * The PostgreSQL connection that the whole product uses, with or without a pool. The connection is opened within the connection budget of
 * the process, to a host that can be used. Once the server has reported that the connection cannot be used, the connection is not returned
 * to its pool.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import { sharedReadBuffer } from '../concurrency/shared-read-buffer.ts';
import { CONNECTION_BUDGET, DatabaseUnavailable } from './connection-budget.ts';
import { HostChoice } from './connection-hosts.ts';
import { type DatabaseAddress, databaseAddress, type Host } from './connection-url.ts';
import { TIMINGS } from './timings.ts';

/** The server is read-only, but writes are needed. */
export class ServerReadOnly extends DatabaseUnavailable {}

/**
 * SQLSTATEs after which a connection is no longer usable: the server became read-only (as after a failover), is shutting down, has crashed,
 * or does not accept connections (PostgreSQL, appendix A).
 */
const UNUSABLE = new Set(['25006', '57P01', '57P02', '57P03']);

export interface DatabaseClientConfig extends pg.ClientConfig {
  connectionString: string;
  /** Connects only to this host. */
  only?: Host;
}

const choices = new WeakMap<DatabaseAddress, HostChoice>();

/** Null if there is only one host. A single host is used without a probe. */
function choiceOf(config: DatabaseClientConfig, address: DatabaseAddress): HostChoice | null {
  if (config.only !== undefined || address.hosts.length === 1) return null;
  const known = choices.get(address);
  if (known !== undefined) return known;
  const choice = new HostChoice(address.hosts, (host) => probe(config.connectionString, host));
  choices.set(address, choice);
  return choice;
}

async function probe(connectionString: string, only: Host): Promise<void> {
  const client = new DatabaseClient({
    connectionString,
    only,
    connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
    query_timeout: TIMINGS.connectTimeoutMs,
    application_name: 'posthorn',
  });
  try {
    await client.connect();
  } finally {
    void client.end().catch(() => {});
  }
}

type OnConnect = (error: Error | null) => void;

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** Describes TLS errors in words that do not presume knowledge of OpenSSL. */
function describeTlsFault({ code = '', message }: NodeJS.ErrnoException): string {
  if (UNTRUSTED.has(code))
    return `The certificate of the server is not from the authority in sslrootcert (${message}). Set sslrootcert to the authority that issued it.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the server is for another name (${message}). Use a name of the certificate in the URL, or sslmode=verify-ca.`;
  return message;
}

function openSocket(): Socket {
  const socket: Socket = new Socket({ onread: sharedReadBuffer((chunk) => socket.emit('data', chunk)) });
  return socket;
}

export class DatabaseClient extends pg.Client {
  readonly #address: DatabaseAddress;
  readonly #choice: HostChoice | null;
  #to: Host | null;
  /**
   * Parameters that the server reports without being queried (PostgreSQL 14 and later): `in_hot_standby` and
   * `default_transaction_read_only`.
   */
  readonly #reported = new Map<string, string>();
  #fault: Error | null = null;
  #isEnded = false;

  constructor(config: DatabaseClientConfig) {
    const address = databaseAddress(config.connectionString);
    super({
      ...config,
      connectionString: address.connectionString,
      ...(address.tls === undefined ? { stream: openSocket } : { ssl: address.tls }),
    });
    this.#address = address;
    this.#choice = choiceOf(config, address);
    this.#to = config.only ?? (this.#choice === null ? (address.hosts[0] ?? null) : null);
    // The listener is needed because an unhandled `error` event would end the process. The next statement on the connection reports the
    // error.
    this.on('error', () => this.#discard(new DatabaseUnavailable('Connection terminated')));
    this.connection.on('errorMessage', (error: pg.DatabaseError) => {
      if (error.code !== undefined && UNUSABLE.has(error.code)) this.#discard(error);
    });
    this.connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) =>
      this.#reported.set(status.parameterName, status.parameterValue),
    );
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: OnConnect): void;
  override connect(callback?: OnConnect): Promise<pg.Client> | void {
    const connected = this.#connect();
    if (callback === undefined) return connected.then(() => this);
    // Called on the next tick, so that an error thrown by the callback does not count as a failure to connect.
    connected.then(
      () => process.nextTick(callback, null),
      (error: Error) => process.nextTick(callback, error),
    );
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#isEnded = true;
    return callback === undefined ? super.end() : super.end(callback);
  }

  /** The reason why the connection must not be used again, or null. */
  get fault(): Error | null {
    return this.#fault;
  }

  async #connect(): Promise<void> {
    // If the caller closes the client before pg has begun to connect, pg reports nothing, but the stream emits `close`.
    const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
    const { stream } = this.connection;
    const onClose = () => abandon(new DatabaseUnavailable('Connection terminated'));
    stream.once('close', onClose);
    try {
      this.#to ??= await Promise.race([abandoned, this.#choice?.find() ?? null]);
      await Promise.race([abandoned, CONNECTION_BUDGET.take()]);
      if (this.#isEnded) throw new DatabaseUnavailable('Connection terminated');
    } finally {
      stream.off('close', onClose);
    }
    try {
      if (this.#to !== null) ({ host: this.host, port: this.port } = this.#to);
      await super.connect();
      if (this.#address.needsWrites && !(await this.#acceptsWrites()))
        throw new ServerReadOnly('The server is a standby or otherwise read-only.');
    } catch (error) {
      this.#discard(error as Error);
      CONNECTION_BUDGET.failed(error);
      this.connection.stream.destroy();
      throw this.#unavailable(error);
    }
    // A read-only server fails each write with 25006, which ends the connection. Each such connection counts as a failed attempt, so that
    // reconnects stay within the budget.
    if (this.#isReadOnly()) CONNECTION_BUDGET.failed(new ServerReadOnly('The server is read-only.'));
    else CONNECTION_BUDGET.succeeded();
  }

  /** Wraps TLS errors, which have no system error code, so that callers recognize that the database is unavailable. */
  #unavailable(error: unknown): unknown {
    if (error instanceof pg.DatabaseError || error instanceof DatabaseUnavailable) return error;
    return this.#address.tls === undefined || this.#address.tls === false
      ? error
      : new DatabaseUnavailable(describeTlsFault(error as NodeJS.ErrnoException), { cause: error });
  }

  #isReadOnly(): boolean {
    return (
      this.#reported.get('in_hot_standby') === 'on' ||
      this.#reported.get('default_transaction_read_only') === 'on'
    );
  }

  async #acceptsWrites(): Promise<boolean> {
    if (this.#isReadOnly()) return false;
    if (this.#reported.has('in_hot_standby') && this.#reported.has('default_transaction_read_only'))
      return true;
    // A pooler in front of PostgreSQL may not forward the reported parameters.
    const { rows } = await super.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only !== 'on';
  }

  #discard(fault: Error): void {
    this.#fault ??= fault;
    if (this.#to !== null) this.#choice?.forget(this.#to);
  }
}
