import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { insertSubmissions, type NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { OriginalMessage, Report, ReportedRecipient } from '../bounces/report.ts';
import { noteSender } from './note-sender.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const MESSAGE_ID = '<1@acme.example>';
const original = (messageId: string | null = MESSAGE_ID): OriginalMessage => ({
  messageId,
  returnPath: null,
  rcptTo: [],
  fields: [],
});
const failed = (address: string | null, fields: Partial<ReportedRecipient> = {}): ReportedRecipient => ({
  address,
  action: 'failed',
  enhancedCode: '5.1.1',
  replyCode: 550,
  diagnostic: '550 5.1.1 User unknown',
  remoteMta: null,
  reportingMta: null,
  ...fields,
});
const dsnOf = (...recipients: ReportedRecipient[]): Report => ({
  kind: 'dsn',
  recipients,
  original: original(),
});
const complaint = (fields: Partial<Extract<Report, { kind: 'complaint' }>> = {}): Report => ({
  kind: 'complaint',
  feedbackType: 'abuse',
  reportingMta: null,
  recipients: [],
  original: original(),
  ...fields,
});

/** A message to a, b and c, of which servers have taken those to a and b. */
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
const CASES: [what: string, report: Report, noted: string, fields?: () => Partial<NewSubmission>][] = [
  ['a recipient that does not exist, in whatever case', dsnOf(failed('B@DST.test')), '- bounced -'],
  [
    'no recipient that the message did not go to',
    dsnOf(failed('x@dst.test'), failed('b%@dst.test')),
    '- - -',
  ],
  ['no recipient that no server has taken', dsnOf(failed('c@dst.test')), '- - -'],
  ['no recipient where the report names none', dsnOf(failed(null)), '- - -'],
  ['no delay', dsnOf(failed('a@dst.test', { action: 'delayed' })), '- - -'],
  [
    'no mailbox that is full',
    dsnOf(failed('a@dst.test', { enhancedCode: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' })),
    '- - -',
  ],
  [
    'nothing of a message that it does not give back',
    { ...dsnOf(failed('a@dst.test')), original: null } as Report,
    '- - -',
  ],
  [
    'nothing of another message',
    { ...dsnOf(failed('a@dst.test')), original: original('<2@acme.example>') } as Report,
    '- - -',
  ],
  [
    'nothing of a message id that no database takes',
    { ...dsnOf(failed('a@dst.test')), original: original('\0') } as Report,
    '- - -',
  ],
  ['the recipient who complains', complaint({ recipients: ['b@dst.test'] }), '- complained -'],
  ['one recipient of a complaint that names none', complaint(), 'complained - -'],
  ['no word that it was no spam', complaint({ feedbackType: 'not-spam' }), '- - -'],
  ['nothing of what is forwarded', dsnOf(failed('a@dst.test')), '- - -', () => ({ kind: 'forward' })],
  [
    'nothing of what is a week old',
    dsnOf(failed('a@dst.test')),
    '- - -',
    () => ({ submissionId: firstUuidAt(WEEK_AGO).slice(0, 19) + newUuid().slice(19) }),
  ],
];
for (const [what, report, noted, fields] of CASES)
  test(`a report is kept about ${what}`, async () => {
    const [mailbox, other] = [await send(fields?.()), await send(fields?.())];
    await noteSender(db.database, mailbox, report);
    assert.equal(await notedOf(mailbox), noted);
    assert.equal(await notedOf(other), '- - -');
  });

test('a second report about a recipient changes nothing', async () => {
  const mailbox = await send();
  for (const report of [
    complaint({ recipients: ['a@dst.test'] }),
    dsnOf(failed('a@dst.test'), failed('b@dst.test')),
  ])
    await noteSender(db.database, mailbox, report);
  assert.equal(await notedOf(mailbox), 'complained bounced -');
});
