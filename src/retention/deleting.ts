/** Shared by all code that deletes: the lock, and the check whether work is pending. */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';

/** The key of the advisory lock for deleting, over all machines. */
const LOCK = 7_340_022;

/** Emails per transaction, which works and holds locks for about ten milliseconds. */
export const BATCH = 200;

/** Deletes in batches, and yields the number of deleted things after each. */
export type DeletionJob = AsyncGenerator<number, void>;

/** Runs a transaction while no other one deletes, so that its counts stay true until it commits. */
export async function deleting<T>(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (tx) => {
    await lockDeleting(tx);
    return work(tx);
  });
}

/** Until the transaction ends, no other one deletes. */
export async function lockDeleting(tx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
}

/** For a Kysely condition: the value is one of these. The statement's text does not depend on their number. */
export function among(uuids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${uuidArray(uuids)}::uuid[])`;
}

export interface LockedRecipient {
  emailId: string;
  recipientIndex: number;
  address: string;
  /** Whether an attempt is pending or in flight. */
  hasWork: boolean;
  isInFlight: boolean;
}

/** Locks the recipients of emails and their queue rows, so that no work is added until the transaction ends. */
export async function lockRecipients(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<LockedRecipient[]> {
  // Recipients first: code that requeues a recipient locks it there.
  const recipients = await tx
    .selectFrom('emailRecipients')
    .select(['emailId', 'recipientIndex', 'address'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', among(emailIds))
    .orderBy('emailId')
    .orderBy('recipientIndex')
    .forUpdate()
    .execute();
  const queued = await tx
    .selectFrom('queue')
    .select(['emailId', 'recipientIndex', 'inFlight'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', among(emailIds))
    // In the order in which workers lock the rows.
    .orderBy('emailId')
    .orderBy('recipientIndex')
    .forUpdate()
    .execute();
  const work = new Map(queued.map((row) => [keyOf(row), row]));
  return recipients.map((row) => {
    const left = work.get(keyOf(row));
    return { ...row, hasWork: left !== undefined, isInFlight: left?.inFlight === true };
  });
}

function keyOf({ emailId, recipientIndex }: Pick<LockedRecipient, 'emailId' | 'recipientIndex'>): string {
  return `${emailId} ${recipientIndex}`;
}

/** Locks the recipients of emails. @returns the emails with work pending for a recipient */
export async function lockBusy(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<Set<string>> {
  const recipients = await lockRecipients(tx, projectId, emailIds);
  return new Set(recipients.filter(({ hasWork }) => hasWork).map(({ emailId }) => emailId));
}

const EMAIL_DELIVERY = columnsOf({ webhookId: 'uuid', id: 'uuid', emailId: 'uuid', isPending: 'bool' });
export type EmailDelivery = RowOf<typeof EMAIL_DELIVERY>;

/**
 * The webhook deliveries of emails. There is no index by email, but the id of a delivery begins with the time and the counter of its
 * event (`recording-deliveries.ts`), so the primary keys find it.
 */
export async function findDeliveries(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<EmailDelivery[]> {
  const isOfEvent = sql`
    d.project_id = v.project_id and d.event_id = v.id
    and d.id >= (left(v.id::text, 18) || '-0000-000000000000')::uuid
    and d.id <= (left(v.id::text, 18) || '-ffff-ffffffffffff')::uuid`;
  const { rows } = await EMAIL_DELIVERY.sql`
    select d.webhook_id, d.id, v.email_id, d.is_pending
    from events v
    cross join lateral (
      select d.webhook_id, d.id, false as is_pending
      from webhooks w
      cross join lateral (
        select d.webhook_id, d.id from deliveries d where d.webhook_id = w.id and ${isOfEvent} offset 0
      ) d
      where w.project_id = v.project_id
      union all
      select d.webhook_id, d.id, true from due_deliveries d where ${isOfEvent}
      offset 0
    ) d
    where v.project_id = ${projectId} and v.email_id = ${among(emailIds)}`.execute(tx);
  return rows;
}
