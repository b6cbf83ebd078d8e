/** What all code that deletes data shares: the lock for deletions, and the check for pending work. */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';

/** The key of the advisory lock for deletions, on all machines. */
const LOCK = 7_340_022;

/** Emails per transaction. With this number, a transaction holds its locks for about ten milliseconds. */
export const BATCH = 200;

/** Deletes in batches and yields the number of deleted items after each batch. */
export type DeletionJob = AsyncGenerator<number, void>;

/** Runs a transaction that holds the lock for deletions. No other deletion runs until it commits, so what it counts stays correct. */
export async function deleting<T>(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return database.transaction().execute(async (tx) => {
    await lockDeleting(tx);
    return work(tx);
  });
}

/** Takes the lock for deletions until the transaction ends. */
export async function lockDeleting(tx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
}

/** SQL to compare with any of the uuids. The text of the statement is the same for any number of uuids. */
export function among(uuids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${uuidArray(uuids)}::uuid[])`;
}

export interface LockedRecipient {
  emailId: string;
  recipientIndex: number;
  address: string;
  /** Whether a delivery attempt is pending or in flight. */
  hasWork: boolean;
  isInFlight: boolean;
}

/** Locks the recipients of emails and their queue rows, so that no work is added until the transaction ends. */
export async function lockRecipients(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<LockedRecipient[]> {
  // Lock the recipients before their queue rows: code that requeues a recipient locks its row in `email_recipients` first.
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
    // Lock the rows in the same order as workers do, to avoid deadlocks.
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

/** Locks the recipients of emails. @returns the ids of the emails with pending recipients */
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
 * Finds the webhook deliveries of emails. There is no index by email, but the id of a delivery begins like the id of its event
 * (`recording-deliveries.ts`), so they can be found in the primary key.
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
