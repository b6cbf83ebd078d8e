import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { insertSubmissions, type NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { OriginalMessage, Report } from '../bounces/report.ts';
import { noteComplaint } from './note-complaint.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

type Complaint = Extract<Report, { kind: 'complaint' }>;

const MESSAGE_ID = '<1@acme.example>';
const original = (messageId: string | null = MESSAGE_ID): OriginalMessage => ({
  messageId,
  returnPath: null,
  rcptTo: [],
  fields: [],
});
const complaint = (fields: Partial<Complaint> = {}): Complaint => ({
  kind: 'complaint',
  feedbackType: 'abuse',
  reportingMta: null,
  recipients: [],
  original: original(),
  ...fields,
});

/** Creates a message to a, b and c with the outcome `relayed` for a and b. */
async function send(fields: Partial<NewSubmission> = {}): Promise<MailboxKey> {
  const mailbox = await newMailbox(db.database);
  const recipients = ['a', 'b', 'c'].map((name) => recipientOf(`${name}@dst.test`));
  await insertSubmissions(db.database, [
    newSubmission({ ...mailbox, messageId: MESSAGE_ID, recipients, ...fields }),
  ]);
  await sql`
    update submission_recipients set outcome = case when recipient_index < 2 then 'relayed' end
    where project_id = ${mailbox.projectId}`.execute(db.database);
  return mailbox;
}

async function notedOf({ projectId }: MailboxKey): Promise<string> {
  const rows = await db.database
    .selectFrom('submissionRecipients')
    .select(['reported', 'reportedAt'])
    .where('projectId', '=', projectId)
    .orderBy('recipientIndex')
    .execute();
  for (const { reported, reportedAt } of rows) assert.equal(reported === null, reportedAt === null);
  return rows.map(({ reported }) => reported ?? '-').join(' ');
}

const WEEK_AGO = new Date(Date.now() - 7 * 24 * 3_600_000 - 60_000);
const AGED = (): Partial<NewSubmission> => ({
  submissionId: firstUuidAt(WEEK_AGO).slice(0, 19) + newUuid().slice(19),
});
const CASES: [what: string, report: Complaint, noted: string, fields?: () => Partial<NewSubmission>][] = [
  ['the recipient who complains, in any case', complaint({ recipients: ['B@DST.test'] }), '- complained -'],
  [
    'no one if it names recipients that the message did not have',
    complaint({ recipients: ['x@dst.test', 'b%@dst.test', '\0'] }),
    '- - -',
  ],
  [
    'no one if the message is still queued for its recipient',
    complaint({ recipients: ['c@dst.test'] }),
    '- - -',
  ],
  ['one recipient if it names none', complaint(), 'complained - -'],
  ['no one if it does not contain the message', complaint({ original: null }), '- - -'],
  ['no one if it contains another message', complaint({ original: original('<2@acme.example>') }), '- - -'],
  ['no one if the message id contains NUL', complaint({ original: original('\0') }), '- - -'],
  ['no one if its type is not-spam', complaint({ feedbackType: 'not-spam' }), '- - -'],
  ['no one if the message was forwarded', complaint(), '- - -', () => ({ kind: 'forward' })],
  ['no one if the message is over a week old', complaint(), '- - -', AGED],
];
for (const [what, report, noted, fields] of CASES)
  test(`a complaint is recorded about ${what}`, async () => {
    const [mailbox, other] = [await send(fields?.()), await send(fields?.())];
    await noteComplaint(db.database, mailbox, report);
    assert.equal(await notedOf(mailbox), noted);
    assert.equal(await notedOf(other), '- - -');
  });
