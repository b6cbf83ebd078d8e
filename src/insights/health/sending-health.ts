import type { Health, HealthCause } from '../../contract/dashboard/health.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import type { Presence } from '../../db/presence.ts';
import { type DueMail, readDueMail } from '../../queue/due-rows.ts';
import { readPause } from '../../queue/pause.ts';
import { readNotSendingSince } from '../../queue/provider-kind.ts';
import { readWorkers } from '../../queue/workers.ts';
import { type SendingFacts, verdictOf } from './verdict.ts';

/** Every open page asks every three seconds, so pages share reads. */
const FACTS_MS = 1_000;
const MAIL_MS = 2_000;
const CONCERNS_MS = 60_000;
const MAX_PROJECTS = 1_000;

export interface SendingHealthOptions {
  reads: FairReads;
  /** Null in a process that does not observe others. Workers are then judged without regard to a database outage. */
  presence: Pick<Presence, 'living' | 'lastHeartbeat'> | null;
  /** Reads what will stop mail or lose data soon, for operators. */
  concerns(): Promise<HealthCause[]>;
}

function cacheFor<V>(ttlMs: number, maxEntries = 1): LoadingCache<V> {
  return new LoadingCache({ ttlMs, maxEntries, mayCache: () => true, nowMs: () => performance.now() });
}

/** Judges whether mail is sent. */
export class SendingHealth {
  readonly #options: SendingHealthOptions;
  readonly #facts = cacheFor<SendingFacts>(FACTS_MS);
  readonly #mail = cacheFor<DueMail>(MAIL_MS, MAX_PROJECTS);
  readonly #concerns = cacheFor<HealthCause[]>(CONCERNS_MS);

  constructor(options: SendingHealthOptions) {
    this.#options = options;
  }

  async read(projectId: string, isOperator: boolean): Promise<Health> {
    const { reads, concerns } = this.#options;
    const facts = await this.#facts.get('', () => reads.run('health', (pool) => this.#readFacts(pool)));
    const mail = await this.#mail.get(projectId, () =>
      reads.run(projectId, (pool) => readDueMail(pool, projectId)),
    );
    return verdictOf(facts, mail, isOperator ? await this.#concerns.get('', concerns) : null);
  }

  async #readFacts(database: Database): Promise<SendingFacts> {
    const { presence } = this.#options;
    const pause = await readPause(database);
    const notSendingSince = await readNotSendingSince(database);
    const { living, lastHeartbeat } = await readWorkers(database);
    // After a database outage all heartbeats are old, and workers need time to send one.
    const mayJudge = living > 0 || presence === null || presence.living() !== null;
    return {
      pausedSince: pause?.since ?? null,
      notSendingSince,
      workers: mayJudge ? living : null,
      // A worker that stopped in order left no lease.
      lastHeartbeat: lastHeartbeat ?? presence?.lastHeartbeat('worker') ?? null,
    };
  }
}
