import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import { isLockedForSending, unlockSending } from '../../mailboxes/sending-lock.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { insertSubmissions, type NewSubmission } from '../submit/insert-submissions.ts';
import { SendingJudge } from './sending-judge.ts';

const PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
const logged: string[] = [];
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  logged.length = 0;
  await sql`truncate submissions, submission_recipients, sending_locks`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

function newJudge(): SendingJudge {
  const logger = pino({}, { write: (line: string) => logged.push(line) });
  return new SendingJudge({ database: db.database, logger });
}

interface SentMail {
  category?: string;
  refused?: number;
  bounced?: number;
  complained?: number;
  delivered?: number;
  ageMs?: number;
  kind?: NewSubmission['kind'];
  /** The outcome of recipients that were not rejected. */
  outcome?: 'delivered' | 'relayed';
}

/** Sends one message to the given number of recipients, and records their outcomes. */
async function send(
  mailbox: MailboxKey,
  {
    category = 'unknown_user',
    refused = 0,
    outcome = 'delivered',
    bounced = 0,
    complained = 0,
    delivered = 0,
    ageMs = 0,
    kind,
  }: SentMail,
): Promise<void> {
  const recipients = Array.from({ length: refused + bounced + complained + delivered }, () =>
    recipientOf(`${newUuid()}@dst.test`),
  );
  const submissionId = firstUuidAt(new Date(Date.now() - ageMs)).slice(0, 19) + newUuid().slice(19);
  await insertSubmissions(db.database, [
    newSubmission({ ...mailbox, submissionId, recipients, ...(kind !== undefined && { kind }) }),
  ]);
  await sql`
    update submission_recipients set
      ended_at = now() - ${ageMs} * interval '1 millisecond',
      outcome = case when recipient_index < ${refused + bounced} then 'failed' else ${outcome} end,
      detail = case when recipient_index < ${refused} then ${JSON.stringify({ category })}::json
        when recipient_index < ${refused + bounced} then ${JSON.stringify({ category, was: outcome })}::json end,
      reported = case when recipient_index < ${refused} then null
        when recipient_index < ${refused + bounced} then 'bounced'
        when recipient_index < ${refused + bounced + complained} then 'complained' end,
      reported_at = case when recipient_index >= ${refused} and recipient_index < ${refused + bounced + complained} then now() end
    where submission_id = ${submissionId}`.execute(db.database);
}

async function isLocked({ projectId, mailboxId }: MailboxKey): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select ${isLockedForSending(sql`${projectId}::uuid`, sql`${mailboxId}::uuid`)} as is_locked`.execute(
    db.database,
  );
  return rows[0]?.isLocked === true;
}

async function subjectsIn({ projectId, mailboxId }: MailboxKey): Promise<string[]> {
  const rows = await db.database
    .selectFrom('messageContents')
    .select(['subject', 'text'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .execute();
  return rows.map(({ subject }) => subject);
}

const CASES: [what: string, sent: SentMail[], isLocked: boolean][] = [
  ['most of its mail is rejected as unknown', [{ refused: 15, delivered: 10 }], true],
  [
    'most of its mail is rejected, in many messages',
    Array.from({ length: 20 }, () => ({ refused: 1 })),
    true,
  ],
  [
    'most of its mail is rejected for its content',
    [{ refused: 15, delivered: 10, category: 'content' }],
    true,
  ],
  ['half of its mail is delivered', [{ refused: 12, delivered: 12 }], false],
  ['the mailboxes of its recipients are full', [{ refused: 25, category: 'mailbox_full' }], false],
  ['its mail was rejected two days ago', [{ refused: 25, ageMs: 48 * HOUR_MS }, { refused: 1 }], false],
  ['mail that it forwards is rejected', [{ refused: 25, kind: 'forward' }], false],
  ['bounce reports return for mail that was delivered', [{ bounced: 25 }], false],
  ['bounce reports return for mail that a smart host relayed', [{ bounced: 25, outcome: 'relayed' }], true],
  [
    'three messages cause a complaint each',
    Array.from({ length: 3 }, () => ({ complained: 1, ageMs: 72 * HOUR_MS })),
    true,
  ],
  ['one message causes three complaints, which a single recipient can forge', [{ complained: 3 }], false],
];
for (const [what, sent, expected] of CASES)
  test(`a mailbox is ${expected ? 'locked' : 'not locked'} if ${what}`, async () => {
    const mailbox = await newMailbox(db.database);
    for (const one of sent) await send(mailbox, one);
    await newJudge().scan();
    assert.equal(await isLocked(mailbox), expected);
    assert.deepEqual(await subjectsIn(mailbox), expected ? ['Your mailbox is locked for sending'] : []);
  });

test('one of several workers locks a mailbox, notifies the owner, and logs the lock without an address', async () => {
  const mailbox = await newMailbox(db.database, { quotaMb: 0 });
  const other = await newMailbox(db.database);
  await send(mailbox, { refused: 30 });
  await send(other, { delivered: 30 });
  const judges = Array.from({ length: 3 }, () => newJudge());
  for (let round = 0; round < 2; round++) await Promise.all(judges.map((judge) => judge.scan()));
  assert.deepEqual(await subjectsIn(mailbox), ['Your mailbox is locked for sending']);
  assert.equal(await isLocked(other), false);
  const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(lines.length, 1);
  assert.partialDeepStrictEqual(lines[0], {
    level: 40,
    msg: 'mailbox locked for sending',
    reason: 'refused',
    tried: 30,
    refused: 30,
  });
});

test('after an unlock, earlier rejections do not count and later rejections do', async () => {
  const mailbox = await newMailbox(db.database);
  const { projectId, mailboxId } = mailbox;
  assert.equal(await unlockSending(db.database, projectId, mailboxId), false);
  await send(mailbox, { refused: 30, ageMs: HOUR_MS });
  await newJudge().scan();
  assert.equal(await isLocked(mailbox), true);
  assert.equal(await unlockSending(db.database, newUuid(), mailboxId), false);
  assert.equal(await unlockSending(db.database, projectId, mailboxId), true);
  await newJudge().scan();
  assert.equal(await isLocked(mailbox), false);
  await send(mailbox, { refused: 30 });
  await newJudge().scan();
  assert.equal(await isLocked(mailbox), true);
  assert.equal((await subjectsIn(mailbox)).length, 2);
});

test('a mailbox that was deleted in the meantime does not prevent other mailboxes from being locked', async () => {
  const [deleted, mailbox] = [await newMailbox(db.database), await newMailbox(db.database)];
  for (const one of [deleted, mailbox]) await send(one, { refused: 30 });
  await sql`delete from mailboxes where id = ${deleted.mailboxId}`.execute(db.database);
  await newJudge().scan();
  assert.equal(await isLocked(mailbox), true);
});

test('a check that failed is repeated although no mail was rejected lately', async () => {
  let checks = 0;
  const failing = db.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: () => {
      checks += 1;
      return Promise.reject(new Error('failed'));
    },
  });
  const logger = pino({ enabled: false });
  await using judge = new SendingJudge({ database: failing, logger, timings: { scanMs: 0 } });
  const hasRepeated = () => {
    judge.tick(false);
    return checks > 1;
  };
  assert.ok(await eventually(hasRepeated, PATIENCE_MS));
});
