/** Looks at the records of claims when their time has come (`nextCheckAt`), without anybody asking. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { isDatabaseAway } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { within } from '../model/within.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { readClaims } from './claim.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { verifyClaim, type VerifyOptions } from './verify-claim.ts';

const LOOKS_AT_ONCE = 16;
/** Longer than any look takes. When it failed, or its process died, the claim is due again then. */
const RETRY_MS = 10 * 60_000;
/** What is not done by then is left to the next one who finds the claim due. */
const STOP_GRACE_MS = 2_000;

export interface DomainScheduleOptions extends VerifyOptions {
  hostedDomain: string;
  logger: Logger;
}

interface Due {
  projectId: string;
  id: string;
}

export class DomainSchedule implements AsyncDisposable {
  readonly #options: DomainScheduleOptions;
  readonly #nowMs: () => number;
  readonly #looks = new Set<Promise<void>>();
  #claiming: Promise<readonly Due[]> | null = null;
  #isStopped = false;

  constructor(options: DomainScheduleOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Begins the looks that are due, as many as there is room for, and resolves when they are over. Never rejects. */
  async tick(): Promise<void> {
    const room = LOOKS_AT_ONCE - this.#looks.size;
    if (this.#isStopped || room <= 0 || this.#claiming !== null) return;
    this.#claiming = this.#claimDue(room)
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

  /**
   * Moves their time ahead before anybody looks: no two workers look at one, and one whose look kills the process does
   * so once in a while only.
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
          // The condition of the index; nobody looks at the hosted domain.
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
    const look = this.#look(due)
      .catch((error: unknown) => this.#report(error, LOG_MESSAGES.recordsNotLookedAt, due.id))
      .finally(() => this.#looks.delete(look));
    this.#looks.add(look);
    return look;
  }

  async #look({ projectId, id }: Due): Promise<void> {
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
    await within(STOP_GRACE_MS, Promise.all(this.#looks), []);
  }
}
