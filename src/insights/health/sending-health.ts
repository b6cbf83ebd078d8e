import { within } from '../../concurrency/within.ts';
import type { Health, HealthCause } from '../../contract/dashboard/health.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import type { Presence } from '../../db/presence.ts';
import { type DueMail, readDelay, readDueMail } from '../../queue/due-rows.ts';
import { readPause } from '../../queue/pause.ts';
import { readNotSendingSince } from '../../queue/provider-kind.ts';
import { readWorkers } from '../../queue/workers.ts';
import { type SendingFacts, verdictOf } from './verdict.ts';

/** Every open page asks every three seconds, so pages share reads. */
const FACTS_MS = 1_000;
const MAIL_MS = 2_000;
const CONCERNS_MS = 60_000;
const MAX_PROJECTS = 1_000;
/**
 * Without workers for less than this, sending is not called stopped: while sending resumes, a lease or a worker is replaced, or the database
 * restarts, there is none for two seconds. Dead processes are known after seven, and pages ask every three, then every one, so a stop is
 * shown within 15 seconds.
 */
const GONE_MS = 3_000;
/** What happened between two reads that lie further apart is not known. */
const UNREAD_MS = 10_000;
/** Reading the concerns may hang, such as on a network file system. Whether mail is sent must not wait for it. */
const CONCERNS_TIMEOUT_MS = 1_000;

export interface SendingHealthOptions {
  reads: FairReads;
  /** Null in a process that does not observe others. Workers are then judged without regard to a database outage. */
  presence: Pick<Presence, 'living' | 'lastHeartbeat'> | null;
  /** Reads what will stop mail or lose data soon, for operators. */
  concerns(): Promise<HealthCause[]>;
  /** A monotonic clock. Default: that of the process. */
  nowMs?: () => number;
  /** Default: `CONCERNS_TIMEOUT_MS`. */
  concernsTimeoutMs?: number;
}

interface ReadFacts extends SendingFacts {
  readAtMs: number;
  /** The time of the first of all reads since which there was no worker. Null: there is one, or there need not be one. */
  goneAtMs: number | null;
}

/** Judges whether mail is sent. */
export class SendingHealth {
  readonly #options: SendingHealthOptions;
  readonly #nowMs: () => number;
  readonly #facts: LoadingCache<ReadFacts>;
  readonly #mail: LoadingCache<DueMail>;
  readonly #concerns: LoadingCache<HealthCause[]>;
  #lastConcerns: HealthCause[] = [];

  constructor(options: SendingHealthOptions) {
    const { nowMs = () => performance.now() } = options;
    const cacheFor = <V>(ttlMs: number, maxEntries = 1) =>
      new LoadingCache<V>({ ttlMs, maxEntries, mayCache: () => true, nowMs });
    this.#options = options;
    this.#nowMs = nowMs;
    this.#facts = cacheFor(FACTS_MS);
    this.#mail = cacheFor(MAIL_MS, MAX_PROJECTS);
    this.#concerns = cacheFor(CONCERNS_MS);
  }

  async read(projectId: string, isOperator: boolean): Promise<Health> {
    const { reads } = this.#options;
    const facts = await this.#judgedFacts();
    const mail = await this.#mail.get(projectId, () =>
      reads.run(projectId, (pool) => readDueMail(pool, projectId)),
    );
    return verdictOf(facts, mail, isOperator ? await this.#readConcerns() : null);
  }

  /**
   * Judges the mail of all projects together. `waiting` is not counted.
   * @returns `concerns`: null if they could not be read in time
   */
  async readInstallation(): Promise<{ health: Health; concerns: HealthCause[] | null }> {
    const { reads, concerns, concernsTimeoutMs = CONCERNS_TIMEOUT_MS } = this.#options;
    const facts = await this.#judgedFacts();
    const delayedSince = await reads.run('health', readDelay);
    const reading = Promise.resolve(this.#concerns.get('', concerns)).catch(() => null);
    return {
      health: verdictOf(facts, { emails: 0, isMore: false, delayedSince }, []),
      concerns: await within(concernsTimeoutMs, reading, null),
    };
  }

  async #judgedFacts(): Promise<SendingFacts> {
    const { goneAtMs, ...facts } = await this.#facts.get('', (before) =>
      this.#options.reads.run('health', (pool) => this.#readFacts(pool, before)),
    );
    const mayReturn = goneAtMs !== null && this.#nowMs() - goneAtMs < GONE_MS;
    return mayReturn ? { ...facts, workers: null } : facts;
  }

  async #readFacts(database: Database, before: ReadFacts | undefined): Promise<ReadFacts> {
    const { presence } = this.#options;
    const pause = await readPause(database);
    const notSendingSince = await readNotSendingSince(database);
    const { living, lastHeartbeat } = await readWorkers(database);
    // After a database outage all heartbeats are old, and workers need time to send one.
    const mayJudge = living > 0 || presence === null || presence.living() !== null;
    const isGone = mayJudge && living === 0 && pause === null && notSendingSince === null;
    const readAtMs = this.#nowMs();
    const wasRead = before !== undefined && readAtMs - before.readAtMs < UNREAD_MS;
    return {
      pausedSince: pause?.since ?? null,
      notSendingSince,
      workers: mayJudge ? living : null,
      // A worker that stopped in order left no lease.
      lastHeartbeat: lastHeartbeat ?? presence?.lastHeartbeat('worker') ?? null,
      readAtMs,
      goneAtMs: isGone ? ((wasRead ? before.goneAtMs : null) ?? readAtMs) : null,
    };
  }

  /** The concerns, or the last known ones if they cannot be read in time. */
  async #readConcerns(): Promise<HealthCause[]> {
    const { concerns, concernsTimeoutMs = CONCERNS_TIMEOUT_MS } = this.#options;
    const reading = Promise.resolve(this.#concerns.get('', concerns)).catch(() => this.#lastConcerns);
    this.#lastConcerns = await within(concernsTimeoutMs, reading, this.#lastConcerns);
    return this.#lastConcerns;
  }
}
