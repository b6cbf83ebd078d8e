/** Emails for tests, inserted by the code that accepts emails. */
import type { Database } from '../../src/db/database.ts';
import { insertEmails, type NewEmail } from '../../src/sending/accept/insert-emails.ts';
import { recordEvents } from '../../src/sending/events/record-events.ts';
import { isEmailLevel, type TimelineType } from '../../src/model/email-status.ts';
import { newUuid } from '../../src/model/ids.ts';
import { newEvent } from './events.ts';

export const PROJECT = newUuid();

export function newEmail(fields: Partial<NewEmail> = {}): NewEmail {
  return {
    projectId: PROJECT,
    emailId: newUuid(),
    sender: 'Acme <hello@posthorn.localhost>',
    senderAddress: 'hello@posthorn.localhost',
    to: ['b@dst.test'],
    cc: [],
    bcc: [],
    replyTo: null,
    subject: 'Hello',
    html: '<p>It works.</p>',
    text: null,
    templateId: null,
    headers: null,
    tags: [],
    stream: 'transactional',
    recipients: ['b@dst.test'],
    tracking: null,
    traceParent: null,
    idempotency: null,
    emitsEvents: true,
    scheduledAt: null,
    message: null,
    ...fields,
  };
}

/** Inserts emails with one recipient each and returns them. */
export async function queueEmails(database: Database, count: number): Promise<NewEmail[]> {
  const emails = Array.from({ length: count }, () => newEmail());
  await insertEmails(database, emails);
  return emails;
}

/** Inserts an email to each address, in order. */
export async function queueEmailTo(database: Database, addresses: readonly string[]): Promise<void> {
  const emails = addresses.map((address) => newEmail({ to: [address], recipients: [address] }));
  await insertEmails(database, emails);
}

/** Inserts an email and records events of the given types for its first recipient, without any delivery attempt. */
export async function queueEmailWith(
  database: Database,
  types: readonly TimelineType[],
  fields: Partial<NewEmail> = {},
): Promise<NewEmail> {
  const email = newEmail(fields);
  await insertEmails(database, [email]);
  const events = types.map((type) =>
    isEmailLevel(type) ? newEvent(type, null, null) : newEvent(type, 0, email.recipients[0] ?? null),
  );
  await database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
  return email;
}
