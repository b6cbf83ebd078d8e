/** Removes one address from an email that has other recipients too. */
import { sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { ERASED } from '../model/erased.ts';
import { recordEvents } from '../sending/events/record-events.ts';
import { unindexEmails } from '../insights/search/segments.ts';
import { deleteBodies } from './delete-bodies.ts';
import { among, findDeliveries, type LockedRecipient } from './deleting.ts';
import { isSame, hasAddress, patternOf, repliesTo } from './naming.ts';

/**
 * Removes the address from an email. The caller has locked the recipients, and no recipient with the address is in flight. Pending
 * recipients with the address are canceled. The status and the timeline stay, but no longer identify the person. The content may contain
 * more data about the person, so it is deleted as soon as the other recipients no longer need it.
 * @returns the number of canceled recipients
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
      .set({ address: ERASED })
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .where('recipientIndex', '=', recipientIndex)
      .execute();
    await tx
      .deleteFrom('queue')
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .where('recipientIndex', '=', recipientIndex)
      .execute();
  }
  await redactLists(tx, projectId, emailId, address);
  await unindexEmails(tx, projectId, [emailId]);
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
  const redacted = (list: readonly string[]) =>
    list.map((text) => (hasAddress(text, address) ? ERASED : text));
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
      replyTo: replyTo !== null && repliesTo(replyTo, address) ? null : replyTo,
    })
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .execute();
}

/** The fields in the details of an event that can identify a person, besides the address. */
const OF_A_PERSON = ['ip', 'user_agent', 'url'];

/**
 * Removes the address from the timeline and from the replies of servers. Deletes the responses of webhook endpoints, which may contain the
 * address.
 */
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
  const pattern = patternOf(address);
  const within = (value: unknown) => (typeof value === 'string' ? value.replace(pattern, ERASED) : value);
  for (const { id, recipient, detail } of rows) {
    const isOwn = recipient !== null && isSame(recipient, address);
    // Replace the address in the parsed values, not in the JSON text. There, a line break before the address is written as `
    // `, and the `n` would look like a part of the address.
    const redacted =
      detail === null
        ? null
        : JSON.stringify(detail, (name, value: unknown) =>
            isOwn && OF_A_PERSON.includes(name) ? null : within(value),
          );
    if (!isOwn && redacted === (detail === null ? null : JSON.stringify(detail))) continue;
    await sql`
      update events set recipient = ${isOwn ? ERASED : recipient}, detail = ${redacted}::json
      where project_id = ${projectId} and email_id = ${emailId} and id = ${id}`.execute(tx);
  }
  const deliveries = await findDeliveries(tx, projectId, [emailId]);
  for (const [webhookId, own] of Map.groupBy(deliveries, (delivery) => delivery.webhookId)) {
    for (const table of ['dueDeliveries', 'deliveries'] as const)
      await tx
        .updateTable(table)
        .set({ responseBody: null, error: null, pastAttempts: null })
        .where('projectId', '=', projectId)
        .where('webhookId', '=', webhookId)
        .where('id', '=', among(own.map((delivery) => delivery.id)))
        .execute();
  }
}
