/**
 * The connection to PostgreSQL that all of the product uses, in pools and alone. It connects within the budget of the process, to the host
 * that serves, and does not go back to its pool once its server has said that it cannot be used.
 */
import pg from 'pg';
import { CONNECTION_BUDGET, DatabaseUnavailable } from './connection-budget.ts';
import { HostChoice } from './connection-hosts.ts';
import { type DatabaseAddress, databaseAddress, type Host } from './connection-url.ts';
import { TIMINGS } from './timings.ts';

/** The server takes no writes, and writes are needed. */
export class ServerReadOnly extends DatabaseUnavailable {}

/**
 * SQLSTATEs with which a server says that this connection is of no more use: it became read-only, as after a failover, shuts down, has
 * crashed, or cannot be connected to (PostgreSQL, appendix A).
 */
const UNUSABLE = new Set(['25006', '57P01', '57P02', '57P03']);

export interface DatabaseClientConfig extends pg.ClientConfig {
  connectionString: string;
  /** Connects to this host alone. */
  only?: Host;
}

const choices = new WeakMap<DatabaseAddress, HostChoice>();

/** Null: there is one host, and it is taken as it is. */
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

const NOT_OF_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

/** For the operator, who may not know the words of OpenSSL. */
function describeTlsFault({ code = '', message }: NodeJS.ErrnoException): string {
  if (NOT_OF_AUTHORITY.has(code))
    return `The certificate of the server is not from the authority in sslrootcert (${message}). Set sslrootcert to the authority that issued it.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the server is for another name (${message}). Use a name of the certificate in the URL, or sslmode=verify-ca.`;
  return message;
}

export class DatabaseClient extends pg.Client {
  readonly #address: DatabaseAddress;
  readonly #choice: HostChoice | null;
  #to: Host | null;
  /** What the server reports by itself: `in_hot_standby` and `default_transaction_read_only`, since PostgreSQL 14. */
  readonly #reported = new Map<string, string>();
  #fault: Error | null = null;
  #isEnded = false;

  constructor(config: DatabaseClientConfig) {
    const address = databaseAddress(config.connectionString);
    super({
      ...config,
      connectionString: address.connectionString,
      ...(address.tls !== undefined && { ssl: address.tls }),
    });
    this.#address = address;
    this.#choice = choiceOf(config, address);
    this.#to = config.only ?? (this.#choice === null ? (address.hosts[0] ?? null) : null);
    // A connection lost between two statements of a transaction: the next statement on it says so.
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
    // What the callback throws is no failure to connect.
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

  /** Why it is not to be used again, or null. */
  get fault(): Error | null {
    return this.#fault;
  }

  async #connect(): Promise<void> {
    // While pg has not begun, it does not say that its caller has lost patience.
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
      if (this.#address.needsWrites && !(await this.#takesWrites()))
        throw new ServerReadOnly('The server is a standby, or takes no writes for another reason.');
    } catch (error) {
      this.#discard(error as Error);
      CONNECTION_BUDGET.failed(error);
      this.connection.stream.destroy();
      throw this.#unavailable(error);
    }
    // A server that takes no writes fails each of them with 25006, which ends the connection: that must stay within the budget too.
    if (this.#isReadOnly()) CONNECTION_BUDGET.failed(new ServerReadOnly('The server takes no writes.'));
    else CONNECTION_BUDGET.succeeded();
  }

  /** TLS has errors that are no errors of the system. */
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

  async #takesWrites(): Promise<boolean> {
    if (this.#isReadOnly()) return false;
    if (this.#reported.has('in_hot_standby') && this.#reported.has('default_transaction_read_only'))
      return true;
    // What stands between this process and PostgreSQL does not pass on what it reports.
    const { rows } = await super.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only !== 'on';
  }

  #discard(fault: Error): void {
    this.#fault ??= fault;
    if (this.#to !== null) this.#choice?.forget(this.#to);
  }
}
