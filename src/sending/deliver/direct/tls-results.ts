/** Counts the outcomes of TLS sessions with the recipients' servers, for TLS reports (RFC 8460). */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/rows.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import type { TlsSession } from './tls-outcomes.ts';
import * as clock from '../../../model/clock.ts';

export interface TlsResultsOptions {
  database: Database;
  logger: Pick<Logger, 'warn'>;
  /** Returns the current time. The day of a result is in UTC. */
  now?: () => Date;
  /** The maximum number of combinations counted between two flushes. Further combinations are not counted. */
  maxKinds?: number;
}

interface Count extends TlsSession {
  /** A day in UTC, such as 2026-11-20. */
  day: string;
  sessions: number;
}

const COUNTS = rowsOf<Count>('v', {
  day: ['date', (count) => count.day],
  policy_domain: ['text', (count) => count.policyDomain],
  policy_type: ['text', (count) => count.policyType],
  mx_host: ['text', (count) => count.mxHost],
  outcome: ['text', (count) => count.outcome],
  sessions: ['int8', (count) => count.sessions],
});

const MAX_KINDS = 10_000;
const KEPT_DAYS = 30;

/** Results that were not flushed are lost when the process ends. The loss is harmless, because no mail depends on these statistics. */
export class TlsResults {
  readonly #options: TlsResultsOptions;
  #counts = new Map<string, Count>();
  #lost = 0;
  #prunedOn = '';

  constructor(options: TlsResultsOptions) {
    this.#options = options;
  }

  record(result: TlsSession): void {
    this.#add({ ...result, day: this.#today(), sessions: 1 });
  }

  /**
   * Adds the counts to the table and deletes old days. Never rejects: counts that could not be written stay for the next flush. Counts
   * whose commit was not confirmed may be counted twice.
   */
  async flush(): Promise<void> {
    const { logger } = this.#options;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    if (this.#lost > 0) logger.warn({ sessions: this.#lost }, LOG_MESSAGES.tlsResultsNotCounted);
    this.#lost = 0;
    try {
      await this.#prune();
      // The write is the last step, because counts that were written must not be added again by the next flush.
      if (counts.length > 0) await this.#write(counts);
    } catch (error) {
      logger.warn({ err: error }, LOG_MESSAGES.tlsResultsNotWritten);
      for (const count of counts) this.#add(count);
    }
  }

  #add(count: Count): void {
    const { day, policyDomain, policyType, mxHost, outcome, sessions } = count;
    const key = [day, policyDomain, policyType, mxHost, outcome].join(' ');
    const known = this.#counts.get(key);
    if (known !== undefined) known.sessions += sessions;
    else if (this.#counts.size < (this.#options.maxKinds ?? MAX_KINDS)) this.#counts.set(key, { ...count });
    else this.#lost += sessions;
  }

  async #write(counts: readonly Count[]): Promise<void> {
    await sql`
      insert into tls_results as t (${COUNTS.names}) select ${COUNTS.values} from ${COUNTS.from(counts)}
      -- Ordered, so that two processes never deadlock.
      order by 1, 2, 3, 4, 5
      on conflict (day, policy_domain, policy_type, mx_host, outcome)
      do update set sessions = t.sessions + excluded.sessions`.execute(this.#options.database);
  }

  /** Deletes old days, once a day. */
  async #prune(): Promise<void> {
    const today = this.#today();
    if (this.#prunedOn === today) return;
    await sql`delete from tls_results where day < ${today}::date - ${KEPT_DAYS}::int`.execute(
      this.#options.database,
    );
    this.#prunedOn = today;
  }

  #today(): string {
    return (this.#options.now?.() ?? clock.now()).toISOString().slice(0, 10);
  }
}
