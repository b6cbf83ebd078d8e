/** Takes one address out of an email that others got too. */
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { recordEvents } from '../sending/events/record-events.ts';
import { deleteBodies } from './delete-bodies.ts';
import { among, findDeliveries, type LockedRecipient } from './deleting.ts';

/** Stands where the address stood (RFC 2606, section 2: nobody can have it). */
export const ERASED = 'erased@erased.invalid';

/** Whether two addresses in normal form are of one person, as the suppression list compares them. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Of text as a caller gave it, such as `Ada <ada@example.com>`. */
function names(text: string, address: string): boolean {
  const mailbox = parseMailbox(text);
  return !('error' in mailbox) && isSame(mailbox.address, address);
}

/**
 * The caller has locked the recipients, and none with the address is in flight. Who waits is cancelled first. Status and timeline go
 * on as they were, about nobody. Since nobody can tell what else is about that person, what the email says goes too, once
 * the others do not need it.
 * @returns how many recipients were cancelled
 */
export async function redactEmail(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  address: string,
  recipients: readonly LockedRecipient[],
): Promise<number> {
  const own = recipients.filter((recipient) => isSame(recipient.address, address));
  const waiting = own.filter(({ hasWork }) => hasWork);
  const events = waiting.map(({ recipientIndex }) => ({
    type: 'failed' as const,
    detail: { recipient: ERASED, reason: 'cancelled', detail: null },
    recipientIndex,
    recipient: ERASED,
  }));
  if (events.length > 0) await recordEvents(tx, [{ projectId, emailId, events }]);
  for (const { recipientIndex } of own) {
    await tx
      .updateTable('emailRecipients')
      .set({ address: ERASED, nextAttemptAt: null, leaseId: null, inFlight: false, destination: null })
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .where('recipientIndex', '=', recipientIndex)
      .execute();
  }
  await redactLists(tx, projectId, emailId, address);
  await redactTimeline(tx, projectId, emailId, address);
  await deleteBodies(tx, projectId, [emailId], true);
  return waiting.length;
}

async function redactLists(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  address: string,
): Promise<void> {
  const [email, content] = await Promise.all([
    tx
      .selectFrom('emails')
      .select('toList')
      .where('projectId', '=', projectId)
      .where('id', '=', emailId)
      .executeTakeFirstOrThrow(),
    tx
      .selectFrom('emailContents')
      .select(['cc', 'bcc', 'replyTo'])
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .executeTakeFirstOrThrow(),
  ]);
  const redacted = (list: readonly string[]) => list.map((text) => (names(text, address) ? ERASED : text));
  const { cc, bcc, replyTo } = content;
  await tx
    .updateTable('emails')
    .set({ toList: redacted(email.toList) })
    .where('projectId', '=', projectId)
    .where('id', '=', emailId)
    .execute();
  await tx
    .updateTable('emailContents')
    .set({
      cc: redacted(cc),
      bcc: redacted(bcc),
      replyTo: replyTo !== null && names(replyTo, address) ? null : replyTo,
    })
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .execute();
}

/** Who somebody is can be told from these too. */
const OF_A_PERSON = ['ip', 'user_agent', 'url'];

/** The address goes out of the timeline, out of what servers said, and out of what receivers of webhooks answered. */
async function redactTimeline(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  address: string,
): Promise<void> {
  const rows = await tx
    .selectFrom('events')
    .select(['id', 'recipient', 'detail'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .execute();
  const pattern = new RegExp(address.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), 'gi');
  for (const { id, recipient, detail } of rows) {
    const isOwn = recipient !== null && isSame(recipient, address);
    const text = detail === null ? null : JSON.stringify(detail, isOwn ? withoutPerson : undefined);
    const redacted = text?.replace(pattern, ERASED) ?? null;
    if (!isOwn && redacted === text) continue;
    await sql`
      update events set recipient = ${isOwn ? ERASED : recipient}, detail = ${redacted}::json
      where project_id = ${projectId} and email_id = ${emailId} and id = ${id}`.execute(tx);
  }
  const deliveries = await findDeliveries(tx, projectId, [emailId]);
  for (const [webhookId, own] of Map.groupBy(deliveries, (delivery) => delivery.webhookId)) {
    await tx
      .updateTable('deliveries')
      .set({ responseBody: null, error: null })
      .where('projectId', '=', projectId)
      .where('webhookId', '=', webhookId)
      .where('id', '=', among(own.map((delivery) => delivery.id)))
      .execute();
  }
}

function withoutPerson(name: string, value: unknown): unknown {
  return OF_A_PERSON.includes(name) ? null : value;
}
