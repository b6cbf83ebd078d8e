import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { emptyQueue } from '../../../test/support/queue-rows.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { setForwarding } from '../forward/forwarding.ts';
import { reportedAddressee } from '../mail-receiver.ts';
import { filerFixture, mail, to } from './filer.fixture.ts';
import { ReportLimits, successReportsOf } from './success-report.ts';

const fixture = filerFixture();
beforeEach(() => emptyQueue(fixture.database));

const PASSED: Pick<Authentication, 'spf' | 'dkim'> = {
  spf: { result: 'pass', domain: 'sender.example' },
  dkim: [],
};
const FAILED: Pick<Authentication, 'spf'> = { spf: { result: 'fail', domain: 'sender.example' } };
/** Valid signatures, which a message keeps if anyone sends it again. */
const REPLAYED: Pick<Authentication, 'spf' | 'dkim'> = {
  ...FAILED,
  dkim: [{ result: 'pass', domain: 'sender.example', selector: 's', algorithm: 'rsa-sha256' }],
};

async function filingVersionOf({ mailboxId }: MailboxKey): Promise<number> {
  const { filingVersion } = await fixture.database
    .selectFrom('mailboxes')
    .select('filingVersion')
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  return filingVersion;
}

/** Files a message for the mailbox, with a report of success for each address. @returns the queued reports */
async function reportsOf(
  mailbox: MailboxKey,
  {
    authentication = PASSED,
    notify = NOTIFY.success,
    fields = {},
    addresses = ['anna+x@acme.example'],
    others = [],
    score = 0,
  }: {
    authentication?: Partial<Authentication>;
    notify?: number | null;
    fields?: Partial<ReturnType<typeof mail>>;
    addresses?: readonly string[];
    /** The other mailboxes that have the addresses. */
    others?: readonly MailboxKey[];
    score?: number;
  } = {},
) {
  const recipients = [];
  for (const forwardPath of addresses) {
    const deliveries = [];
    for (const one of [mailbox, ...others])
      deliveries.push(to(one, 'medium', forwardPath.replace('+x', ''), await filingVersionOf(one)));
    const originalRecipient = `rfc822;${forwardPath.toUpperCase()}`;
    const addressee = reportedAddressee({
      addressee: { deliveries },
      forwardPath,
      notify,
      originalRecipient,
    });
    if ('deliveries' in addressee) recipients.push(...addressee.deliveries);
  }
  const filer = fixture.filerWith({ ...authentication, score });
  assert.equal(await filer.file({ ...mail(), envelopeId: 'QQ+1', ...fields }, recipients, false), 'accepted');
  const { rows } = await sql<{ reversePath: string; address: string; notify: number; digest: Buffer }>`
    select s.reverse_path, r.address, r.notify, s.digest from submissions s
    join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id
    join queue q on q.project_id = s.project_id and q.email_id = s.id
    where s.mailbox_id = any (${[mailbox, ...others].map(({ mailboxId }) => mailboxId)}::uuid[]) and s.kind = 'report'`.execute(
    fixture.database,
  );
  return Promise.all(
    rows.map(async ({ digest, ...row }) => ({
      ...row,
      text: (await fixture.bytesOf(mailbox.projectId, digest)).toString(),
    })),
  );
}

test('a sender who requested a report of success gets one about all its recipients, with ENVID and ORCPT', async () => {
  const mailbox = await newMailbox(fixture.database);
  const reports = await reportsOf(mailbox, { addresses: ['anna+x@acme.example', 'anna@acme.example'] });
  const [{ text, ...envelope } = assert.fail('there is no report')] = reports;
  assert.equal(reports.length, 1);
  assert.deepEqual(envelope, { reversePath: '', address: 'b@sender.example', notify: 0 });
  assert.match(
    text,
    /^From: .*MAILER-DAEMON@acme\.example>\r\nTo: b@sender\.example\r\nSubject: Delivered: Hello\r\n/,
  );
  assert.match(text, /\r\nOriginal-Envelope-Id: QQ\+1\r\nReporting-MTA: dns; ?mx\.acme\.example\r\n/);
  const status = (address: string) =>
    `Original-Recipient: rfc822; ${address.toUpperCase()}\r\nFinal-Recipient: rfc822; ${address}\r\nAction: delivered\r\nStatus: 2.0.0\r\n`;
  assert.ok(text.includes(`${status('anna+x@acme.example')}\r\n${status('anna@acme.example')}`), text);
  assert.match(text, /text\/rfc822-headers(.|\r\n)*Subject: Hello\r\n/);
  assert.doesNotMatch(text, /How are you|Return-Path|X-Spam-Status/);
});

for (const [what, options] of [
  ['without a proven return path', { authentication: FAILED }],
  ['if SPF passed for another domain', { authentication: { spf: { result: 'pass', domain: 'x.example' } } }],
  ['if only a DKIM signature is valid', { authentication: REPLAYED }],
  ['to the null return path', { fields: { reversePath: '' } }],
  ['to an invalid return path', { fields: { reversePath: 'b c@sender.example' } }],
  ['about failures and delays', { notify: NOTIFY.failure | NOTIFY.delay }],
  ['without NOTIFY', { notify: null }],
] as const)
  test(`no report is sent ${what}`, async () => {
    const mailbox = await newMailbox(fixture.database);
    assert.deepEqual(await reportsOf(mailbox, options as Parameters<typeof reportsOf>[1]), []);
    assert.equal((await fixture.heldBy(mailbox)).length, 1);
  });

test('the report does not tell whether the message was stored, forwarded, or recognized as spam', async () => {
  const { database } = fixture;
  const withoutIds = (text: string) =>
    text.replaceAll(/^(?:Date|Message-ID|Arrival-Date): .*$/gm, '').replaceAll(/=_\w+/g, '');
  const texts = [];
  for (const [isForwarding, score, folders] of [
    [false, 0, ['inbox']],
    [false, 8, ['junk']],
    [true, 0, []],
    [true, 8, ['junk']],
  ] as const) {
    const mailbox = await newMailbox(database);
    if (isForwarding) await setForwarding(database, mailbox, 'secret@elsewhere.example', false);
    const [{ text } = assert.fail('there is no report')] = await reportsOf(mailbox, { score });
    assert.deepEqual(await fixture.foldersOf(mailbox), folders);
    texts.push(withoutIds(text));
  }
  assert.match(texts[0] ?? '', /\r\nAction: delivered\r\n/);
  for (const text of texts) assert.equal(text, texts[0]);
});

test('a return path in a domain with umlauts is proven by SPF, in whichever form the domain is written', async () => {
  for (const domain of ['b\u00fccher.example', 'xn--bcher-kva.example']) {
    const [{ address } = assert.fail('there is no report')] = await reportsOf(
      await newMailbox(fixture.database),
      {
        authentication: { spf: { result: 'pass', domain } },
        fields: { reversePath: `b@${domain}` },
      },
    );
    assert.equal(address, 'b@xn--bcher-kva.example');
  }
});

test('an alias gets one report, whatever its mailboxes do with the message', async () => {
  const { database } = fixture;
  const first = await newMailbox(database);
  const second = await newMailbox(database, { projectId: first.projectId });
  await setForwarding(database, first, 'secret@elsewhere.example', false);
  const reports = await reportsOf(first, { addresses: ['team@acme.example'], others: [second] });
  const [{ text } = assert.fail('there is no report')] = reports;
  assert.equal(reports.length, 1);
  assert.match(text, /\r\nAction: delivered\r\n/);
  assert.deepEqual(await fixture.foldersOf(second), ['inbox']);
});

test('a report is sent from the domain to which the sender wrote, one for each domain', async () => {
  const mailbox = await newMailbox(fixture.database);
  const addresses = ['anna@acme.example', 'sales@shop.example', 'help@shop.example'];
  const texts = (await reportsOf(mailbox, { addresses })).map(({ text }) => text);
  const from = (domain: string) => texts.find((text) => text.includes(`<MAILER-DAEMON@${domain}>`)) ?? '';
  assert.equal(texts.length, 2);
  assert.match(from('acme.example'), /anna@acme/);
  assert.match(from('shop.example'), /sales@shop(.|\r\n)*help@shop/);
  assert.doesNotMatch(from('shop.example'), /acme\.example>/);
});

test('mail to a return path, or to the operator, is not reported', () => {
  for (const flag of ['isReturnPath', 'isFallback'] as const) {
    const delivery = { ...to({ projectId: 'p', mailboxId: 'm' }), [flag]: true };
    const addressee = { deliveries: [delivery] };
    const recipient = { addressee, forwardPath: 'x@y', notify: NOTIFY.success, originalRecipient: null };
    assert.deepEqual(reportedAddressee(recipient), addressee, flag);
  }
});

test('a report returns only the beginning of a long header', async () => {
  const raw = Buffer.from(`Subject: Hello\r\n${'X-Long-Field: 1\r\n'.repeat(1_000)}\r\nHello\r\n`);
  const [{ text } = assert.fail('there is no report')] = await reportsOf(await newMailbox(fixture.database), {
    fields: { raw },
  });
  assert.match(text, /Subject: Hello\r\nX-Long-Field/);
  assert.ok(text.length < 6_000, `${text.length}`);
});

test('within any 24 hours, a process sends at most 200 reports to a return path, and 10,000 to a domain', () => {
  let nowMs = 0;
  const limits = new ReportLimits(() => nowMs);
  const takes = (localPart: string, count: number) =>
    Array.from({ length: count }, () => {
      const address = parseMailbox(`${localPart}@sender.example`);
      return !('error' in address) && limits.take(address);
    }).filter((allowed) => allowed).length;
  let count = takes('a', 150) + takes('A', 150);
  let others = 0;
  for (let hour = 0; hour < 24; hour++) {
    for (let at = 0; at < 60; at++) others += takes(`b${at}`, 20);
    nowMs += 3_600_000;
    count += takes('a', 20);
  }
  assert.equal(count, 200);
  assert.ok(others + count <= 10_000 && others > 9_500, `${others}`);
});

test('a report takes one token of the limits, even if the transaction is retried', async () => {
  const mailbox = await newMailbox(fixture.database);
  let taken = 0;
  const limits = { take: () => ++taken > 0 };
  const reported = [{ forwardPath: 'a@acme.example', address: 'a@acme.example', originalRecipient: null }];
  const recipients = [{ ...to(mailbox, 'medium', 'a@acme.example'), reported }];
  const facts = { subject: 'Hello', messageId: null };
  const { authentication } = fixture.examination(PASSED);
  const compose =
    successReportsOf({ mail: mail(), recipients, facts, authentication, hostname: 'mx' }, limits) ??
    assert.fail('no report is requested');
  for (let attempt = 0; attempt < 3; attempt++) assert.equal(compose([null]).length, 1);
  assert.equal(taken, 1);
});
