/** Checks the records of claims when they are due (`nextCheckAt`). */
import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { encodeId } from '../model/ids.ts';
import { within } from '../concurrency/within.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { readClaims } from './claim.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { claimDueServiceDomains, hasDueServiceDomains } from './own-service-domains.ts';
import { verifyClaim, type VerifyOptions } from './verify-claim.ts';

const CHECKS_AT_ONCE = 16;
/** The delay after which a claim is due again if its check failed or the process died. The delay is longer than any check takes. */
const RETRY_MS = 10 * 60_000;
/** The time that checks in progress get during shutdown. Another process repeats unfinished checks when their claims are due again. */
const STOP_GRACE_MS = 2_000;

export interface DomainScheduleOptions extends VerifyOptions {
  hostedDomain: string;
  logger: Logger;
}

interface Due {
  projectId: string;
  id: string;
}

/** Condition: the records of a claim or of a domain of the installation are due for a check. */
export function hasDueDomains(): RawBuilder<unknown> {
  const now = clock.now();
  // The conditions on the claim match the index `domains_due`.
  return sql`(
    exists (select from domains where next_check_at <= ${now} and project_id <> ${sql.lit(HOSTED_PROJECT_ID)})
    or ${hasDueServiceDomains(now)}
  )`;
}

export class DomainSchedule implements AsyncDisposable {
  readonly #options: DomainScheduleOptions;
  readonly #nowMs: () => number;
  readonly #checks = new Set<Promise<void>>();
  #claiming: Promise<readonly Due[]> | null = null;
  #isStopped = false;

  constructor(options: DomainScheduleOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? clock.nowMs;
  }

  /** Starts the checks that are due, up to the concurrency limit, and resolves when they are done. Never rejects. */
  async tick(): Promise<void> {
    const free = CHECKS_AT_ONCE - this.#checks.size;
    if (this.#isStopped || free <= 0 || this.#claiming !== null) return;
    this.#claiming = this.#claimAllDue(free)
      .catch((error: unknown) => {
        this.#report(error, LOG_MESSAGES.dueDomainsNotRead);
        return [];
      })
      .finally(() => {
        this.#claiming = null;
      });
    const due = await this.#claiming;
    if (!this.#isStopped) await Promise.all(due.map((claim) => this.#begin(claim)));
  }

  async #claimAllDue(count: number): Promise<Due[]> {
    const due = await this.#claimDue(count);
    const limit = count - due.length;
    if (limit === 0) return due;
    const now = new Date(this.#nowMs());
    const retryAt = new Date(now.getTime() + RETRY_MS);
    const ofInstallation = await claimDueServiceDomains(this.#options.database, { now, retryAt, limit });
    return [...due, ...ofInstallation];
  }

  /**
   * Claims are postponed before they are checked. So no two workers check one claim at once, and a claim whose check crashes the process
   * is not retried immediately.
   */
  async #claimDue(count: number): Promise<Due[]> {
    const { database } = this.#options;
    const now = new Date(this.#nowMs());
    return database
      .with('due', (query) =>
        query
          .selectFrom('domains')
          .select(['projectId', 'id'])
          .where('nextCheckAt', '<=', now)
          // This condition matches the index `domains_due`. The hosted domain is never checked.
          .where('projectId', '<>', sql.lit(HOSTED_PROJECT_ID))
          .orderBy('nextCheckAt')
          .limit(count)
          .forNoKeyUpdate()
          .skipLocked(),
      )
      .updateTable('domains')
      .from('due')
      .set({ nextCheckAt: new Date(now.getTime() + RETRY_MS) })
      .whereRef('domains.projectId', '=', 'due.projectId')
      .whereRef('domains.id', '=', 'due.id')
      .returning(['domains.projectId', 'domains.id'])
      .execute();
  }

  #begin(due: Due): Promise<void> {
    const check = this.#check(due)
      .catch((error: unknown) => this.#report(error, LOG_MESSAGES.recordsNotChecked, due.id))
      .finally(() => this.#checks.delete(check));
    this.#checks.add(check);
    return check;
  }

  async #check({ projectId, id }: Due): Promise<void> {
    const { database, hostedDomain } = this.#options;
    const [claim] = await readClaims(database, projectId, hostedDomain, id);
    if (claim !== undefined) await verifyClaim(this.#options, claim, false);
  }

  #report(error: unknown, message: string, domainId?: string): void {
    if (this.#isStopped || isDatabaseAway(error)) return;
    this.#options.logger.error(
      { err: error, domainId: domainId === undefined ? undefined : encodeId('dom', domainId) },
      message,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#claiming;
    await within(STOP_GRACE_MS, Promise.all(this.#checks), []);
  }
}
