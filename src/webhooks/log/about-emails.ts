import type { DeliveryAbout } from '../../contract/dashboard/webhooks.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { type EventReference, EVENTS } from '../deliver/load-deliveries.ts';

/** The recipient and the subject of the email of each event, by event ID. Omits events whose email was deleted, and events of no email. */
export async function aboutEmails(
  database: Database,
  events: readonly EventReference[],
): Promise<Map<string, DeliveryAbout>> {
  const { rows } = await columnsOf({
    eventId: 'uuid',
    recipient: 'text?',
    moreRecipients: 'int4',
    subject: 'text',
  }).sql`
    select e.id as event_id, coalesce(e.recipient, m.to_list[1]) as recipient,
           case when e.recipient is null then greatest(cardinality(m.to_list) - 1, 0) else 0 end as more_recipients, m.subject
    from ${EVENTS.from(events.filter(({ emailId }) => emailId !== null))}
    join events e on e.project_id = k.project_id and e.email_id = k.email_id and e.id = k.event_id
    join emails m on m.project_id = k.project_id and m.id = k.email_id`.execute(database);
  return new Map(
    rows.map(({ eventId, recipient, moreRecipients, subject }) => [
      eventId,
      { recipient, more_recipients: moreRecipients, subject },
    ]),
  );
}
