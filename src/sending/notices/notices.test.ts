import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { recipientOf } from '../../../test/support/submissions.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import { NoticesWorld, RAW, uuidOf } from './notices.fixture.ts';
import { TIMINGS } from './timings.ts';
import type { RecipientDetail } from './notified-recipient.ts';

const world = new NoticesWorld();

const UNKNOWN: RecipientDetail = {
  recipient: 'b@dst.test',
  type: 'hard',
  category: 'unknown_user',
  smtp_code: 550,
  enhanced_code: '5.1.1',
  diagnostic: '550 5.1.1 <b@dst.test>: no such user',
  remote_mta: 'mx.dst.test',
  suppressed: false,
  source: 'smtp',
};
const DEFERRED: RecipientDetail = {
  smtp_code: 451,
  enhanced_code: '4.3.0',
  response: '451 4.3.0 come again',
  remote_mta: 'mx.dst.test',
};
const TAKEN: RecipientDetail = {
  recipient: 'b@dst.test',
  smtp_code: 250,
  enhanced_code: '2.1.5',
  response: '250 2.1.5 yes',
  remote_mta: 'mx.dst.test',
  tls: true,
};

/** Records the outcome of a recipient as a worker does. */
async function end(
  { projectId, submissionId }: { projectId: string; submissionId: string },
  recipientIndex: number,
  outcome: 'failed' | 'relayed' | 'delivered',
  detail: RecipientDetail,
  { isDue = true, ageMs = 0 } = {},
): Promise<void> {
  await sql`
    update submission_recipients set outcome = ${outcome}, detail = ${JSON.stringify(detail)}, notice_due = ${isDue},
      ended_at = now() - ${ageMs} * interval '1 millisecond'
    where project_id = ${projectId} and submission_id = ${submissionId} and recipient_index = ${recipientIndex}`.execute(
    world.db.database,
  );
}

test('a failure notice names the server, the reason and the remedy, and returns the message', async () => {
  const sent = await world.submit({
    envelopeId: 'QQ+1',
    recipients: [recipientOf('b@dst.test'), recipientOf('c@dst.test')],
  });
  await end(sent, 0, 'failed', UNKNOWN);
  await end(sent, 1, 'relayed', TAKEN, { isDue: false });
  assert.equal(await world.notices.scan(), 1);
  const [notice, ...others] = await world.inboxOf(sent);
  assert.equal(others.length, 0);
  assert.equal(notice?.field('return-path'), '<>');
  assert.equal(notice?.field('from'), 'Mail delivery <MAILER-DAEMON@mail.example>');
  assert.equal(notice?.field('subject'), 'Not delivered: Lunch?');
  assert.equal(notice?.field('in-reply-to'), '<1@acme.example>');
  assert.equal(notice?.field('auto-submitted'), 'auto-replied');
  const text = notice?.texts[0] ?? '';
  assert.match(text, /^b@dst\.test$/m);
  assert.match(text, /The mailbox does not exist/);
  assert.match(text, /What to do: Check the address for mistakes/);
  assert.match(text, /^ +Category: unknown_user$/m);
  assert.match(text, /mx\.dst\.test said: 550 5\.1\.1 <b@dst\.test>: no such user/);
  assert.doesNotMatch(text, /c@dst/);
  assert.match(notice?.texts[1] ?? '', /^Original-Envelope-Id: QQ\+1$/m);
  assert.deepEqual(notice?.recipients, [
    {
      finalRecipient: 'b@dst.test',
      originalRecipient: null,
      action: 'failed',
      status: '5.1.1',
      statusComment: null,
      diagnostic: '550 5.1.1 <b@dst.test>: no such user',
      remoteMta: 'mx.dst.test',
    },
  ]);
  assert.deepEqual(notice?.types, ['text/plain', 'message/delivery-status', 'message/rfc822']);
  assert.ok(notice?.raw.includes(RAW));
  assert.equal(await world.notices.scan(), 0);
  assert.equal((await world.inboxOf(sent)).length, 1);
});

test('a large message, or a message sent with RET=HDRS, is returned without its body', async () => {
  const [headersOnly, large] = await Promise.all([
    world.submit({ returns: 'headers' }),
    world.submit({ returns: 'full' }, `${RAW}${'It is long.\r\n'.repeat(5_000)}`),
  ]);
  for (const sent of [headersOnly, large]) await end(sent, 0, 'failed', UNKNOWN);
  assert.equal(await world.notices.scan(), 2);
  for (const sent of [headersOnly, large]) {
    const [notice] = await world.inboxOf(sent);
    assert.equal(notice?.types[2], 'text/rfc822-headers');
    assert.match(notice?.texts[2] ?? '', /^Subject: Lunch\?$/m);
    assert.doesNotMatch(notice?.raw ?? '', /At noon/);
  }
});

test('recipients that fail within a short time share a notice, which does not wait for a recipient that is still retried', async () => {
  const sent = await world.submit({
    recipients: ['a', 'b', 'c'].map((name) => recipientOf(`${name}@dst.test`)),
  });
  await end(sent, 0, 'failed', UNKNOWN);
  assert.equal(await world.notices.scan(), 0);
  await end(sent, 1, 'failed', UNKNOWN, { ageMs: TIMINGS.gatherMs + 1_000 });
  assert.equal(await world.notices.scan(), 1);
  const [notice] = await world.inboxOf(sent);
  assert.deepEqual(
    notice?.recipients.map(({ finalRecipient }) => finalRecipient),
    ['a@dst.test', 'b@dst.test'],
  );
});

test('a requested success notice names the recipients and does not contain the message', async () => {
  const sent = await world.submit({ recipients: [recipientOf('b@dst.test'), recipientOf('c@dst.test')] });
  await end(sent, 0, 'delivered', TAKEN);
  await end(sent, 1, 'delivered', { ...TAKEN, remote_mta: 'mail.example' });
  await world.notices.scan();
  const [notice] = await world.inboxOf(sent);
  assert.equal(notice?.field('subject'), 'Delivered: Lunch?');
  assert.deepEqual(
    notice?.recipients.map(({ action, status }) => [action, status]),
    [
      ['relayed', '2.1.5'],
      ['delivered', '2.1.5'],
    ],
  );
  assert.equal(notice?.types[2], 'text/rfc822-headers');
});

test('after four hours a delay notice is sent once, unless the sender declined it', async () => {
  const submissionId = uuidOf(TIMINGS.delayMs + 60_000);
  const sent = await world.submit({
    submissionId,
    recipients: [recipientOf('b@dst.test'), { ...recipientOf('c@dst.test'), notify: NOTIFY.failure }],
  });
  const young = await world.submit({ submissionId: uuidOf(TIMINGS.delayMs - 60_000) });
  await sql`update submission_recipients set detail = ${JSON.stringify(DEFERRED)}`.execute(world.db.database);
  assert.equal(await world.notices.scan(), 1);
  assert.equal(await world.notices.scan(), 0);
  assert.deepEqual(await world.inboxOf(young), []);
  const [notice, ...others] = await world.inboxOf(sent);
  assert.equal(others.length, 0);
  assert.equal(notice?.field('subject'), 'Delayed: Lunch?');
  assert.partialDeepStrictEqual(notice?.recipients, [
    { finalRecipient: 'b@dst.test', action: 'delayed', status: '4.3.0' },
  ]);
  assert.match(notice?.texts[1] ?? '', /^Will-Retry-Until: /m);
  assert.match(notice?.texts[0] ?? '', /You do not need to send it again/);
  await end(sent, 0, 'failed', UNKNOWN);
  await end(sent, 1, 'failed', UNKNOWN, { isDue: false });
  await world.notices.scan();
  assert.equal((await world.inboxOf(sent)).length, 2);
});

test('a notice is delivered even if the mailbox is full', async () => {
  const mailbox = await newMailbox(world.db.database, { quotaMb: 0 });
  const sent = await world.submit(mailbox);
  await end(sent, 0, 'failed', UNKNOWN);
  await world.notices.scan();
  assert.equal((await world.inboxOf(sent)).length, 1);
});

test('no notice is sent for forwarded mail or to a deleted mailbox, and later passes skip these recipients', async () => {
  const old = { submissionId: uuidOf(TIMINGS.delayMs + 60_000) };
  const forwarded = await world.submit({ kind: 'forward', ...old });
  const deleted = await world.submit();
  await end(deleted, 0, 'failed', UNKNOWN);
  await sql`delete from mailboxes where id = ${deleted.mailboxId}`.execute(world.db.database);
  assert.equal(await world.notices.scan(), 2);
  assert.equal(await world.notices.scan(), 0);
  assert.deepEqual(await world.inboxOf(forwarded), []);
  const lines = world.logged.map((line) => JSON.parse(line) as { msg: string; why: string });
  assert.deepEqual(
    lines.map(({ msg, why }) => [msg, why]),
    [['notice dropped: it cannot be delivered', 'no-mailbox']],
  );
});

test('a notice is stored even if the bytes of the message cannot be read, and no other notice is delayed', async () => {
  const unreadable = await world.submit();
  const readable = await world.submit();
  for (const one of [unreadable, readable]) await end(one, 0, 'failed', UNKNOWN);
  const broken: Pick<Blobs, 'open'> = {
    open: async (projectId, digest) => {
      const blob = await world.blobs.open(projectId, digest);
      if (blob === null || projectId !== unreadable.projectId) return blob;
      return { ...blob, read: () => Promise.reject(new Error('EIO')) };
    },
  };
  await using failing = world.newNotices(broken);
  while ((await failing.scan()) > 0);
  const [[notice], [other]] = await Promise.all([world.inboxOf(unreadable), world.inboxOf(readable)]);
  assert.equal(notice?.field('subject'), 'Not delivered');
  assert.equal(notice?.recipients.length, 1);
  assert.equal(other?.field('subject'), 'Not delivered: Lunch?');
  assert.ok(world.logged.some((line) => line.includes('EIO')));
});

test('a notice is stored once, even if several workers poll at the same time', async () => {
  const sent = await Promise.all(Array.from({ length: 8 }, () => world.submit()));
  for (const one of sent) await end(one, 0, 'failed', UNKNOWN);
  const workers = Array.from({ length: 3 }, () => world.newNotices());
  for (let round = 0; round < 3; round++) await Promise.all(workers.map((worker) => worker.scan()));
  for (const worker of workers) await worker[Symbol.asyncDispose]();
  for (const one of sent) assert.equal((await world.inboxOf(one)).length, 1);
});

test('no project is skipped if more projects have notices than one pass handles', async () => {
  const sent = await Promise.all(Array.from({ length: 22 }, () => world.submit()));
  for (const one of sent) await end(one, 0, 'failed', UNKNOWN);
  const late = await world.submit();
  let noticeCount = await world.notices.scan();
  await end(late, 0, 'failed', UNKNOWN);
  for (let more = 1; more > 0; noticeCount += more) more = await world.notices.scan();
  assert.equal(noticeCount, 23);
});

test('many failures of one project do not delay the notices of another project', async () => {
  const many = await newMailbox(world.db.database);
  await Promise.all(
    Array.from({ length: 15 }, async () => end(await world.submit(many), 0, 'failed', UNKNOWN)),
  );
  const one = await world.submit();
  await end(one, 0, 'failed', UNKNOWN);
  await world.notices.scan();
  assert.equal((await world.inboxOf(one)).length, 1);
  assert.ok((await world.inboxOf(many)).length < 15);
  while ((await world.notices.scan()) > 0);
  assert.equal((await world.inboxOf(many)).length, 15);
});
