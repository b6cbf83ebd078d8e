/** The usage and quota of mailboxes (docs/mailboxes.md, Quota). */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { storageLeftOf } from './plan-storage.ts';
import { type LockedMailbox, type MailboxKey, makeFolders } from './lock-mailboxes.ts';

/**
 * Thresholds in percent of the quota. The owner is warned once when usage reaches a threshold, and again each time usage drops below the
 * threshold and returns to it.
 */
const WARNINGS = [95, 80];

/**
 * Call after the usage of a mailbox has changed. Decides whether to warn its owner, and records whether it is full.
 * @param isRefused whether a message was rejected for lack of space
 */
export function noteUsage(mailbox: LockedMailbox, isRefused: boolean): void {
  const { octets, quotaOctets, warnedPercent, isFull } = mailbox;
  const percent = WARNINGS.find((at) => octets * 100 >= quotaOctets * at) ?? 0;
  if (percent > warnedPercent) mailbox.warningDue = true;
  if (percent === 0) mailbox.warningDue = false;
  mailbox.warnedPercent = percent;
  mailbox.isFull = isRefused || (isFull && percent === WARNINGS[0]);
}

const STATES = rowsOf<LockedMailbox>('s', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  octets: ['int8', ({ octets }) => octets],
  uid_validity: ['int8', ({ uidValidity }) => uidValidity],
  warned_percent: ['int2', ({ warnedPercent }) => warnedPercent],
  warning_due: ['bool', ({ warningDue }) => warningDue],
  is_full: ['bool', ({ isFull }) => isFull],
});

/** The CTE that writes the state of locked mailboxes. */
export function writingStates(mailboxes: readonly LockedMailbox[]): RawBuilder<unknown> {
  return sql`
    states as (
      update mailbox_states m set octets = s.octets, uid_validity = s.uid_validity, warned_percent = s.warned_percent,
        warning_due = s.warning_due, full_since = case when s.is_full then coalesce(m.full_since, now()) end
      from ${STATES.from(mailboxes)}
      where m.project_id = s.project_id and m.mailbox_id = s.mailbox_id
    )`;
}

const MAILBOX_QUOTA = columnsOf({
  id: 'uuid',
  octets: 'float8',
  quotaOctets: 'float8',
  /**
   * The time of the first rejection for lack of space after the mailbox last had free space. Null if no message has been rejected since
   * that time.
   */
  fullSince: 'timestamptz?',
  /** Free storage under the project's plan, in octets; null without a limit. */
  storageLeft: 'float8?',
});
/** The usage and quota of a mailbox at the time of the read. */
export type QuotaUse = Omit<RowOf<typeof MAILBOX_QUOTA>, 'id'>;

const MIB = 1024 * 1024;

const KEYS = rowsOf<MailboxKey>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
});

/** @returns quotas by mailbox id; mailboxes that do not exist are missing */
export async function readQuotas(
  database: Database,
  mailboxes: readonly MailboxKey[],
): Promise<Map<string, QuotaUse>> {
  const { rows } = await MAILBOX_QUOTA.sql`
    select m.id, m.quota_mb * ${sql.lit(MIB)}::float8 as quota_octets, coalesce(s.octets, 0)::float8 as octets, s.full_since,
      ${storageLeftOf(sql`m.project_id`)} as storage_left
    from ${KEYS.from(mailboxes)} join mailboxes m on m.project_id = k.project_id and m.id = k.mailbox_id
    left join mailbox_states s on s.project_id = m.project_id and s.mailbox_id = m.id`.execute(database);
  return new Map(rows.map(({ id, ...room }) => [id, room]));
}

/** Records that a message was rejected before it was received, because the mailbox or its project was full. */
export async function noteFull(database: Database, mailbox: MailboxKey): Promise<void> {
  // A mailbox that was never used can be full too, if its project has no storage left.
  await makeFolders(database, [mailbox]);
  const { projectId, mailboxId } = mailbox;
  await sql`
    update mailbox_states set full_since = now()
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and full_since is null`.execute(database);
}
