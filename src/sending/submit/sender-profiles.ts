/** Caches the data of sending mailboxes, which every command of a session needs. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { LoadingCache } from '../../db/loading-cache.ts';
import { isLockedForSending } from '../../mailboxes/sending-lock.ts';
import { ownAddresses } from '../../mailboxes/own-addresses.ts';
import { readSharedSenders, type Senders } from '../../mailboxes/sharing/shared-senders.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { PLAN_LIMITS, type PlanLimits } from '../../model/plans.ts';
import type { SubmittingMailbox } from './submitted-mail.ts';

export interface SenderProfile extends Senders {
  displayName: string | null;
  replyTo: string | null;
  saveSent: boolean;
  isLocked: boolean;
  /** Whether limits must be checked when mail is written. The check reads the limits again. */
  isLimited: boolean;
  limits: Readonly<PlanLimits>;
}

/** The maximum time until changes to a mailbox take effect, in milliseconds. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

export class SenderProfiles {
  readonly #database: Database;
  readonly #profiles: LoadingCache<SenderProfile | null>;

  constructor(database: Database) {
    this.#database = database;
    this.#profiles = new LoadingCache({
      ttlMs: TTL_MS,
      maxEntries: MAX_ENTRIES,
      mayCache: (profile) => profile !== null,
      nowMs: () => performance.now(),
    });
  }

  /** Returns null if the mailbox is deleted. Returns a value instead of a promise if the profile is cached. */
  find(mailbox: SubmittingMailbox): MaybePromise<SenderProfile | null> {
    return this.#profiles.get(`${mailbox.projectId} ${mailbox.mailboxId}`, () => this.#load(mailbox));
  }

  async #load({ projectId, mailboxId }: SubmittingMailbox): Promise<SenderProfile | null> {
    const found = await this.#database
      .selectFrom('mailboxes')
      .innerJoin('projects', 'projects.id', 'mailboxes.projectId')
      .select(['displayName', 'replyTo', 'saveSent', 'dailySendLimit', 'plan'])
      .select(isLockedForSending(sql`mailboxes.project_id`, sql`mailboxes.id`).as('isLocked'))
      .where('mailboxes.projectId', '=', projectId)
      .where('mailboxes.id', '=', mailboxId)
      .executeTakeFirst();
    const own = await ownAddresses(this.#database, projectId, mailboxId);
    if (found === undefined || own.length === 0) return null;
    const { dailySendLimit, plan, ...profile } = found;
    const limits = PLAN_LIMITS[plan];
    return {
      ...profile,
      own,
      shared: await readSharedSenders(this.#database, { projectId, mailboxId }),
      limits,
      isLimited: dailySendLimit !== null || limits.mailboxEmailsPerMonth !== null,
    };
  }
}
