/**
 * The suppression list in SQL: a CTE that adds addresses, and the condition that finds a recipient's entry. The addresses are committed or
 * rolled back together with their cause.
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Cte } from '../../db/cte.ts';
import type { EventDetail } from '../../contract/events.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../model/suppression-reasons.ts';

/** The cause of an entry in words, for people. */
export type SuppressionDetail =
  | Pick<EventDetail<'bounced'>, 'diagnostic'>
  | Omit<EventDetail<'complained'>, 'recipient'>
  | { source: 'one-click' };

export interface NewSuppression {
  projectId: string;
  /** An address that `parseMailbox` normalized. */
  address: string;
  reason: SuppressionReason;
  detail: SuppressionDetail | null;
  /** The recipient that caused the entry. Null for manual entries. */
  cause: { emailId: string; recipientIndex: number } | null;
  /** Null: the entry never expires. */
  expiresAt: Date | null;
}

/** The recipient index of entries without a cause. */
const NO_RECIPIENT = -1;

const SUPPRESSIONS = rowsOf<NewSuppression>('v', {
  project_id: ['uuid', (row) => row.projectId],
  email_id: ['uuid', (row) => row.cause?.emailId ?? null],
  recipient_index: ['int2', (row) => row.cause?.recipientIndex ?? NO_RECIPIENT],
  address: ['text', (row) => row.address],
  reason: ['text', (row) => row.reason],
  detail: ['json', (row) => row.detail],
  expires_at: ['timestamptz', (row) => row.expiresAt],
});

/** The rank of a reason. A higher rank is a stronger reason. */
function strengthOf(reason: string): RawBuilder<number> {
  return sql`array_position(${sql.lit(`{${SUPPRESSION_REASONS.join(',')}}`)}::text[], ${sql.raw(reason)})`;
}

const IS_STRONGER = sql<boolean>`
  (coalesce(s.expires_at <= now(), false) or ${strengthOf('excluded.reason')} > ${strengthOf('s.reason')})`;

function stronger(column: string): RawBuilder<unknown> {
  return sql`case when ${IS_STRONGER} then excluded.${sql.raw(column)} else s.${sql.raw(column)} end`;
}

/**
 * Adds addresses to the list. An existing entry is strengthened, never weakened: it gets the stronger reason with the detail of this reason
 * and the later expiry, and its time of creation does not change. An expired entry counts as absent.
 * @param gate a CTE with project_id, email_id and recipient_index: only entries that a row of the CTE caused are added
 */
export function suppressing(rows: readonly NewSuppression[], gate: Cte | null): RawBuilder<unknown> {
  const gated =
    gate === null
      ? sql``
      : sql`where exists (select from ${gate.name} g
          where g.project_id = v.project_id and g.email_id = v.email_id and g.recipient_index = v.recipient_index)`;
  return sql`
    suppressed as (
      insert into suppressions as s (project_id, address, reason, detail, email_id, created_at, expires_at)
      select project_id, address, reason, detail, email_id, now(), expires_at
      from (
        -- Duplicates within a batch are merged, because an insert must not conflict with its own row.
        select distinct on (v.project_id, lower(v.address)) v.*
        from ${SUPPRESSIONS.from(rows)}
        ${gated}
        order by v.project_id, lower(v.address), ${strengthOf('v.reason')} desc, v.expires_at desc nulls first
      ) twins
      -- Ordered, so that two transactions never deadlock.
      order by project_id, lower(address)
      on conflict (project_id, address_key) do update set
        created_at = case when s.expires_at <= now() then excluded.created_at else s.created_at end,
        address = ${stronger('address')}, reason = ${stronger('reason')}, detail = ${stronger('detail')},
        email_id = ${stronger('email_id')},
        expires_at = case when s.expires_at is null or excluded.expires_at is null then null
                          else greatest(s.expires_at, excluded.expires_at) end
      where ${IS_STRONGER} or s.expires_at < coalesce(excluded.expires_at, 'infinity')
      returning s.created_at = now() as is_new
    )`;
}

const COUNTED = columnsOf({ added: 'int4', changed: 'int4' });

/**
 * Adds addresses to the list in the caller's transaction.
 * @returns the number of new entries, and the number of new or changed entries
 */
export async function suppress(
  tx: DatabaseTransaction,
  rows: readonly NewSuppression[],
): Promise<{ added: number; changed: number }> {
  const { rows: counted } = await COUNTED.sql`
    with ${suppressing(rows, null)}
    select count(*) filter (where is_new)::int as added, count(*)::int as changed from suppressed`.execute(
    tx,
  );
  return counted[0] ?? { added: 0, changed: 0 };
}

/**
 * The join condition for the entry of a recipient.
 * @param suppression the alias of `suppressions`
 * @param recipient the alias of a table with project_id and address
 */
export function suppresses(suppression: string, recipient: string): RawBuilder<boolean> {
  const [s, r] = [sql.raw(suppression), sql.raw(recipient)];
  return sql`(${s}.project_id = ${r}.project_id and ${s}.address_key = lower(${r}.address)
    and (${s}.expires_at is null or ${s}.expires_at > now()))`;
}

const RECIPIENTS = rowsOf<{ projectId: string; address: string; index: number }>('r', {
  project_id: ['uuid', (row) => row.projectId],
  address: ['text', (row) => row.address],
  i: ['int4', (row) => row.index],
});

const LISTED = columnsOf({ i: 'int4' });

/** The recipients whose address is on the list of their project. */
export async function findSuppressed<Recipient extends { projectId: string; address: string }>(
  database: Database,
  recipients: readonly Recipient[],
): Promise<ReadonlySet<Recipient>> {
  if (recipients.length === 0) return new Set();
  const rows = recipients.map(({ projectId, address }, index) => ({ projectId, address, index }));
  const found = await LISTED.sql`
    select r.i from ${RECIPIENTS.from(rows)} join suppressions s on ${suppresses('s', 'r')}`.execute(
    database,
  );
  const indexes = new Set(found.rows.map(({ i }) => i));
  return new Set(recipients.filter((_, index) => indexes.has(index)));
}

/** Deletes expired entries, to limit the size of the table. Expired entries are ignored even before they are deleted. */
export async function clearExpiredSuppressions(database: Database): Promise<void> {
  await sql`delete from suppressions where expires_at <= now()`.execute(database);
}
