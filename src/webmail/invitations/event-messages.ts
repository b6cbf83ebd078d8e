/**
 * Finds newer messages about the event of an invitation: updates and cancellations (docs/decisions/0158-files-and-invitations.md). Attack: a
 * stranger who knows the UID of an event cancels or moves it. Only a message that is proven to be from the organizer changes an event.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { compareVersions, type EventKey } from '../../rfc/icalendar/event-key.ts';
import type { Authentication } from '../../receiving/authenticate/authentication.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { isProved } from '../read/sender/authentication-words.ts';
import type { ReadInvitation } from './invitation-reader.ts';

const EVENT_MESSAGE = columnsOf({
  objectId: 'uuid',
  threadId: 'uuid',
  event: shaped<EventKey>('json'),
  from: shaped<ReadInvitation['from']>('json'),
  authentication: shaped<Omit<Authentication, 'header'> | null>('json?'),
});
export type EventMessage = RowOf<typeof EVENT_MESSAGE>;

export interface NewerMessages {
  /** The newest version from the organizer. Null: the invitation is the newest. */
  newest: EventMessage | null;
  /** A newer version than these whose sender is not proven to be the organizer. */
  unproven: EventMessage | null;
}

/** The maximum number of messages that are compared. Messages with a proven sender are compared first, then the newest versions. */
const MAX_MESSAGES = 100;

/** @param key the event of the invitation */
export async function findNewerMessages(
  database: Database,
  mailbox: MailboxKey,
  objectId: string,
  invitation: Pick<ReadInvitation, 'from' | 'authentication'>,
  key: EventKey,
): Promise<NewerMessages> {
  if (key.organizer === null || (key.method !== 'request' && key.method !== 'publish'))
    return { newest: null, unproven: null };
  const newer = (await readVersions(database, mailbox, key)).filter(
    (each) => each.objectId !== objectId && compareVersions(each.event, key) > 0,
  );
  const senders = new Set([key.organizer, senderOf(invitation)]);
  const isFromOrganizer = (each: EventMessage): boolean =>
    senders.has(senderOf(each)) &&
    (isProved(each.authentication) ||
      // Mail that was added to the mailbox was never checked, whether it invites or cancels.
      (each.authentication === null && invitation.authentication === null));
  const newest = latest(newer.filter(isFromOrganizer));
  const unproven = latest(newer.filter((each) => !isFromOrganizer(each)));
  const isOlder = newest !== null && unproven !== null && compareVersions(unproven.event, newest.event) <= 0;
  return { newest, unproven: isOlder ? null : unproven };
}

/** The only author of a message, in lower case. Empty if there is none or several, because DMARC then proves nothing. */
function senderOf({ from }: Pick<ReadInvitation, 'from'>): string {
  const [first, second] = from;
  return first === undefined || second !== undefined ? '' : first.address.toLowerCase();
}

function latest(messages: readonly EventMessage[]): EventMessage | null {
  return messages.reduce<EventMessage | null>(
    (best, each) => (best === null || compareVersions(each.event, best.event) > 0 ? each : best),
    null,
  );
}

/** Invitations to the event and cancellations, also of the series to which the event belongs. Mail in Junk does not count. */
async function readVersions(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { uid, recurrence, organizer }: EventKey,
): Promise<EventMessage[]> {
  const { rows } = await EVENT_MESSAGE.sql`
    select c.object_id, c.thread_id, c.event, c.addresses -> 'from' as "from", c.authentication
    from message_contents c
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.event is not null and c.event ->> 'uid' = ${uid}
      and c.event ->> 'organizer' = ${organizer} and c.event ->> 'method' in ('request', 'publish', 'cancel')
      and (c.event ->> 'recurrence' is not distinct from ${recurrence}::text
        or (c.event ->> 'recurrence' is null and c.event ->> 'isCancelled' = 'true'))
      and exists (
        select from messages m
        join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.name is not null
        where m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
          and f.role is distinct from 'junk')
    order by (c.authentication -> 'dmarc' ->> 'result' = 'pass') desc nulls last, (c.event ->> 'sequence')::int8 desc,
      (c.event ->> 'stampMs')::int8 desc, c.object_id desc
    limit ${MAX_MESSAGES}`.execute(database);
  return rows;
}

/** Records the event of a message that an earlier version stored, so that it is found from then on. */
export async function recordEvent(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
  key: EventKey,
): Promise<void> {
  await sql`
    update message_contents set event = ${JSON.stringify(key)}::json
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and object_id = ${objectId} and event is null`.execute(
    database,
  );
}
