/** The parts of the service that any role may need. Each part is built once, on first use. `core.ts` has all other parts. No logic. */
import type { Logger } from 'pino';
import { ApiKeys } from '../accounts/keys/api-keys.ts';
import { Blobs } from '../blobs/blobs.ts';
import type { ObjectStore } from '../blobs/object-store.ts';
import { type Database, openLane } from '../db/database.ts';
import { FairReads } from '../db/fair-reads.ts';
import { LanePool } from '../db/lane-pool.ts';
import { QueueNotifier } from '../db/notify.ts';
import type { Presence } from '../db/presence.ts';
import type { Sealer } from '../db/seal.ts';
import type { TIMINGS as DB_TIMINGS } from '../db/timings.ts';
import type { TIMINGS as LIVE_TIMINGS } from '../doors/http/mail/changes/timings.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { MxWatch } from '../domains/mx/mx-watch.ts';
import { SendingDomains, trustsManualVerification } from '../domains/sending-domains.ts';
import type { TIMINGS as INSPECT_TIMINGS } from '../insights/timings.ts';
import { GuardedClient } from '../net/guarded-client.ts';
import { dnsOfDomains, type RecordResolver } from '../net/zone-dns.ts';
import type { ProjectMailDomains } from '../receiving/inside/is-of-project.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import type { Composing } from '../sending/deliver/compose-email.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import { MessageFormatter } from '../routes/formats/message-formatter.ts';
import { ROUTE_LINKS_KEY, RouteLinks } from '../routes/formats/route-links.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { MailNotices } from '../store/notices.ts';
import type { Config } from './config.ts';
import { type LaneName, laneOptions } from './lanes.ts';
import { mailAccess } from './mail-access.ts';
import { mailDomains } from './mail-domains.ts';
import { openObjects } from './objects.ts';

export interface CoreInputs {
  config: Config;
  /** The lane `main`, for accepting and sending emails. The core does not close this lane. */
  database: Database;
  databaseUrl: string;
  /** The pool in which the core opens lanes. Default: a new pool. */
  pool?: LanePool;
  /** Opens a lane. If not given, the core opens lanes in the pool and closes them. */
  openLane?(name: LaneName): Database;
  logger: Logger;
  /** uuid of this run of the process. */
  processId: string;
  /** Observes the other processes. Not given in a command. */
  presence?: Pick<Presence, 'living' | 'lastHeartbeat'>;
  /** Checks the secret against the database. @throws StartupError if the database was sealed with another secret */
  unseal(): Promise<Sealer>;
  /** Returns the base URL of links, without a trailing slash. Called for each link. */
  baseUrl(): string;
  /** The server settings announced to mail apps. Default: from the configuration. */
  mailAccess?: MailAccess;
  /** Timings for tests. Default: the `TIMINGS` of each part. */
  timings?: CoreTimings;
}

export interface CoreTimings {
  /** The time limit of reads in the API, the dashboard and the web client. */
  reads?: Pick<typeof DB_TIMINGS, 'readTimeoutMs'>;
  /** Timings for the dashboard page that shows one email. */
  inspect?: typeof INSPECT_TIMINGS;
  /** Timings for the streams that report changes to the web client. */
  live?: typeof LIVE_TIMINGS;
}

export class BaseCore implements AsyncDisposable {
  readonly config: Config;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly processId: string;
  /**
   * Closes the parts of this core. The protocol servers (`src/doors`) have their own stack, which is closed first, so that no server uses a
   * part that is already closed.
   */
  readonly stack: AsyncDisposableStack;
  readonly inputs: CoreInputs;
  /** This core shares the stack, the lanes and the parts that need no database with this other core. */
  readonly #root: BaseCore;
  readonly #parts = new Map<string, unknown>();
  #sealer: Sealer | null = null;

  constructor(inputs: CoreInputs, root?: BaseCore) {
    this.inputs = inputs;
    this.#root = root ?? this;
    this.stack = root?.stack ?? new AsyncDisposableStack();
    ({
      config: this.config,
      database: this.database,
      databaseUrl: this.databaseUrl,
      logger: this.logger,
      processId: this.processId,
    } = inputs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#root.stack.disposeAsync();
  }

  /**
   * Checks the secret, unless an earlier check has succeeded. Call this before using parts that seal or sign.
   * @throws StartupError if the database was sealed with another secret
   */
  async unseal(): Promise<Sealer> {
    return (this.#root.#sealer ??= await this.inputs.unseal());
  }

  /** @throws TypeError if `unseal` has not succeeded yet */
  get sealer(): Sealer {
    const sealer = this.#root.#sealer;
    if (sealer === null)
      throw new TypeError('the core cannot seal or sign before the secret is checked: call unseal() first');
    return sealer;
  }

  get timings(): CoreTimings {
    return this.inputs.timings ?? {};
  }

  // Databases

  /** The connections of a lane, which is opened on first use. */
  lane(name: LaneName): Database {
    return this.#root.once(`lane ${name}`, () => {
      if (this.inputs.openLane !== undefined) return this.inputs.openLane(name);
      const opened = openLane(this.#pool, laneOptions(name, this.config));
      return this.stack.adopt(opened, (database) => database.destroy());
    });
  }

  get #pool(): LanePool {
    return this.#root.once('pool', () => this.inputs.pool ?? new LanePool(this.databaseUrl));
  }

  /** Reads over a lane. Projects (or mailboxes) get fair shares of its connections. */
  reads(name: LaneName): FairReads {
    return this.#root.once(
      `reads ${name}`,
      () => new FairReads(this.lane(name), laneOptions(name, this.config).max, this.timings.reads),
    );
  }

  /** A core like this one, except that its parts use the lane's connections. */
  on(name: LaneName): BaseCore {
    return this.#root.once(
      `core on ${name}`,
      () => new BaseCore({ ...this.inputs, database: this.lane(name) }, this.#root),
    );
  }

  /** Wakes the workers. It is cheap enough to call after each email. */
  get wake(): () => void {
    return this.once('wake', () => new QueueNotifier(this.database).wake);
  }

  // Values from the configuration

  /** Whether domains that an operator verified by hand may send: see `maySend`. */
  get trustsManualVerification(): boolean {
    return trustsManualVerification(this.config);
  }

  get baseUrl(): () => string {
    return this.inputs.baseUrl;
  }

  get mailAccess(): MailAccess {
    return this.#root.once('mailAccess', () => this.inputs.mailAccess ?? mailAccess(this.config));
  }

  get mailDomains(): ProjectMailDomains {
    return mailDomains(this.config);
  }

  get dnsOf(): (domain: string) => RecordResolver {
    const { dns, environment } = this.config;
    return this.#root.once('dnsOf', () => dnsOfDomains(dns, environment === 'development'));
  }

  /** An HTTP client for addresses that users choose. In development it may also connect to this machine. */
  openClient(maxConnectionsPerOrigin: number, allowHttp = false): GuardedClient {
    const { dns, environment } = this.config;
    return this.stack.use(
      new GuardedClient({
        allowLoopback: environment === 'development',
        maxConnectionsPerOrigin,
        dns,
        allowHttp,
      }),
    );
  }

  // Large messages and files

  get objects(): ObjectStore {
    return this.#root.once('objects', () => openObjects(this.config, this.stack));
  }

  get blobs(): Blobs {
    return this.once('blobs', () => new Blobs(this.database, this.objects));
  }

  /** Parses messages in a worker thread. Each lane has its own thread, so a flood of incoming mail does not delay users who read mail. */
  get facts(): FactsReader {
    return this.once('facts', () => this.stack.use(new FactsReader()));
  }

  /** Notices of changed folders and of messages for routes, over one connection. */
  get mailNotices(): MailNotices {
    return this.#root.once('mailNotices', () => this.stack.use(new MailNotices(this.databaseUrl)));
  }

  // Routes

  /** Writes messages in the formats of routes, in a worker thread. */
  get routeFormatter(): MessageFormatter {
    return this.#root.once('routeFormatter', () => this.stack.use(new MessageFormatter()));
  }

  get routeLinks(): RouteLinks {
    const { sealer, baseUrl } = this;
    return this.#root.once('routeLinks', () => new RouteLinks(sealer.deriveKey(ROUTE_LINKS_KEY), baseUrl));
  }

  // Domains and keys

  get sendingDomains(): SendingDomains {
    return this.once(
      'sendingDomains',
      () =>
        new SendingDomains(this.database, this.config.hostedDomain, {
          trustsManualVerification: this.trustsManualVerification,
        }),
    );
  }

  get mxWatch(): MxWatch {
    const { database, dnsOf } = this;
    return this.once('mxWatch', () => new MxWatch({ database, dnsOf, ownHosts: this.mailDomains.mxHosts }));
  }

  get apiKeys(): ApiKeys {
    return this.once('apiKeys', () => new ApiKeys(this.database));
  }

  // Composing and signing

  get returnPaths(): ReturnPaths {
    return this.#root.once('returnPaths', () => new ReturnPaths(this.sealer.deriveKey(RETURN_PATH_KEY)));
  }

  get trackingLinks(): TrackingLinks {
    return this.#root.once('trackingLinks', () => new TrackingLinks(this.sealer.deriveKey(TRACKING_KEY)));
  }

  get keyring(): DkimKeyring {
    const { database, sealer, config, trustsManualVerification } = this;
    return this.once(
      'keyring',
      () =>
        new DkimKeyring(database, sealer, config.hostedDomain, {
          trustsManualVerification,
          signsForAnyDomain: config.devSmtpPort !== null,
        }),
    );
  }

  get composing(): Omit<Composing, 'provider'> & Pick<BaseCore, 'returnPaths'> {
    const { keyring, returnPaths, trackingLinks, blobs } = this;
    return { keyring, returnPaths, trackingLinks, blobs };
  }

  protected once<Part>(name: string, make: () => Part): Part {
    if (!this.#parts.has(name)) this.#parts.set(name, make());
    return this.#parts.get(name) as Part;
  }
}
