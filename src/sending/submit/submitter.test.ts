import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox } from '../../../test/support/mail.ts';
import { memoryFolder } from '../../../test/support/memory-folder.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { claimRows, emptyQueue, passTime } from '../../../test/support/queue-rows.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { SendingDomains } from '../../domains/sending-domains.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { shareMailbox, unshareMailbox } from '../../mailboxes/sharing/grants.ts';
import { unlockSending } from '../../mailboxes/sending-lock.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import { Lease } from '../../queue/lease.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import { lockForWriting } from '../../store/lock-for-writing.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { DEFAULT_NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import type { SubmitResult, SubmittedMail } from './submitted-mail.ts';
import { Submitter } from './submitter.ts';

let db: TestDatabase;
let folder: string;
let store: Store;
let submitter: Submitter;
let blobs: Blobs;
let queued = 0;
/** The addresses that are local mailboxes of the project. */
const inside = new Set<string>();

/** The addresses to which mailboxes wrote, as the observer of mail learns them. */
const written: string[] = [];

function newSubmitter(): Submitter {
  return new Submitter({
    database: db.database,
    blobs,
    domains: new SendingDomains(db.database, 'posthorn.localhost'),
    store,
    facts: new FactsReader(),
    isOfProject: (projectId, address) => inside.has(`${projectId} ${address}`),
    isUnknown: (address) => address === 'gone@inside.test',
    checkRedirected: async () => assert.fail('no message here is redirected'),
    hostname: 'mx.posthorn.test',
    onQueued: () => {
      queued += 1;
    },
  });
}

before(async () => {
  db = await testDatabase();
  folder = await mkdtemp(join(memoryFolder(), 'posthorn-submitter-'));
  blobs = new Blobs(db.database, new ObjectFiles(folder));
  const sent = (_: MailboxKey, recipients: readonly string[]) => written.push(...recipients);
  store = new Store(db.database, null, { moved: () => {}, valued: () => {}, sent });
  submitter = newSubmitter();
});
after(async () => {
  await submitter[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface Sender extends MailboxKey {
  address: string;
  domain: string;
}

/** A mailbox on a verified domain. */
async function newSender(
  fields: Parameters<typeof newMailbox>[1] & {
    isVerified?: boolean;
    daily?: number;
    saveSent?: boolean;
  } = {},
): Promise<Sender> {
  const { isVerified = true, daily = null, saveSent = false, ...rest } = fields;
  const mailbox = await newMailbox(db.database, rest);
  const row = await db.database
    .updateTable('mailboxes')
    .set({ dailySendLimit: daily, saveSent })
    .where('id', '=', mailbox.mailboxId)
    .returning(['localPart', 'domain'])
    .executeTakeFirstOrThrow();
  if (isVerified)
    await sql`update domains set status = 'verified' where name = ${row.domain}`.execute(db.database);
  return { ...mailbox, domain: row.domain, address: `${row.localPart}@${row.domain}` };
}

let serial = 0;

/** A mail from the address of `sender`. @param to the recipients; default: one recipient */
function mailFrom(
  { address }: Sender,
  fields: Partial<SubmittedMail> = {},
  to: readonly string[] = ['b@dst.test'],
): SubmittedMail {
  return {
    reversePath: address,
    isUtf8: false,
    recipients: to.map((forwardPath) => ({ forwardPath, notify: null, originalRecipient: null })),
    envelopeId: null,
    returns: null,
    raw: Buffer.from(
      `From: ${address}\r\nMessage-ID: <${++serial}@app.test>\r\nSubject: Hi\r\n\r\nHello\r\n`,
    ),
    isTls: true,
    ...fields,
  };
}

function submit(
  sender: Sender,
  fields: Partial<SubmittedMail> = {},
  to?: readonly string[],
): Promise<SubmitResult> {
  return submitter.submit(sender, mailFrom(sender, fields, to));
}

async function idOf(submitting: Promise<SubmitResult>): Promise<string> {
  const result = await submitting;
  assert.equal(result.outcome, 'accepted', JSON.stringify(result));
  return result.outcome === 'accepted' ? result.id : '';
}

async function refusalOf(submitting: Promise<SubmitResult>): Promise<{ refusal: string; text: string }> {
  const result = await submitting;
  assert.ok(result.outcome === 'refused', JSON.stringify(result));
  return result;
}

function submissionsOf({ mailboxId }: MailboxKey) {
  return db.database
    .selectFrom('submissions')
    .selectAll()
    .where('mailboxId', '=', mailboxId)
    .orderBy('id')
    .execute();
}

test('an accepted submission is queued with all its parameters', async () => {
  const sender = await newSender();
  const before = queued;
  const id = await idOf(
    submit(sender, {
      envelopeId: 'QQ314159',
      returns: 'headers',
      recipients: [
        { forwardPath: 'B@DST.test', notify: 1, originalRecipient: 'rfc822;B@dst.test' },
        { forwardPath: 'c@dst.test', notify: 0, originalRecipient: null },
        { forwardPath: 'd@dst.test', notify: null, originalRecipient: null },
        { forwardPath: 'B@dst.test', notify: 4, originalRecipient: null },
      ],
    }),
  );
  const [row] = await submissionsOf(sender);
  assert.deepEqual(
    [
      row?.id,
      row?.reversePath,
      row?.fromAddress,
      row?.fromDomain,
      row?.envelopeId,
      row?.returns,
      row?.recipients,
      row?.isUtf8,
    ],
    [id, null, sender.address, sender.domain, 'QQ314159', 'headers', 3, false],
  );
  const recipients = await db.database
    .selectFrom('submissionRecipients')
    .select(['address', 'notify', 'originalRecipient'])
    .where('submissionId', '=', id)
    .orderBy('recipientIndex')
    .execute();
  assert.deepEqual(recipients, [
    { address: 'B@dst.test', notify: 5, originalRecipient: 'rfc822;B@dst.test' },
    { address: 'c@dst.test', notify: 0, originalRecipient: null },
    { address: 'd@dst.test', notify: DEFAULT_NOTIFY, originalRecipient: null },
  ]);
  const bytes = await (await blobs.open(sender.projectId, row?.digest ?? Buffer.alloc(0)))?.read();
  assert.match(
    bytes?.toString() ?? '',
    /^Received: by mx\.posthorn\.test \(Posthorn\) with ESMTPSA id sub_[0-9A-Z]{26};/,
  );
  assert.equal(queued, before + 1);
});

for (const saveSent of [false, true])
  test(`the spam filter learns to whom a mailbox wrote, ${saveSent ? 'with' : 'without'} a copy in Sent`, async () => {
    const sender = await newSender({ saveSent });
    const to = saveSent ? 'with-copy@dst.test' : 'without@dst.test';
    const raw = Buffer.from(`From: ${sender.address}\r\nTo: ${to}\r\nSubject: Hi\r\n\r\nHello\r\n`);
    await idOf(submit(sender, { raw }, [to]));
    await refusalOf(submit(sender, { reversePath: 'other@dst.test' }, ['refused@dst.test']));
    assert.equal(written.filter((address) => address === to).length, 1);
    assert.ok(!written.includes('refused@dst.test'));
  });

suite('the sender of a submission', () => {
  test('a sender may be the address, a tagged form or an alias of the mailbox, or null; other senders are rejected at MAIL', async () => {
    const sender = await newSender();
    const { projectId, mailboxId } = sender;
    await newAlias(db.database, 'sales', [{ projectId, mailboxId }]);
    for (const path of [sender.address, `anna+x@${sender.domain}`, `SALES@${sender.domain}`, ''])
      assert.equal(await submitter.checkSender(sender, path), null, path);
    for (const path of [
      'anna@elsewhere.test',
      `b@${sender.domain}`,
      'anna',
      `Anna <${sender.address}>`,
      `<${sender.address}>`,
    ]) {
      const refused = await submitter.checkSender(sender, path);
      assert.equal(refused?.refusal, 'senderNotAllowed', path);
      assert.match(refused.text, new RegExp(`can send from ${sender.address}, sales@${sender.domain}`));
    }
  });

  test('a reserved address is rejected as sender with a reply that says so, and an ordinary alias is allowed', async () => {
    const sender = await newSender();
    const own = parseMailbox(sender.address);
    assert.ok(!('error' in own));
    await recordSender(db.database, own);
    const error = new RegExp(`receives mail but cannot send: ${sender.address} is reserved for the operator`);
    assert.match((await submitter.checkSender(sender, `Anna+x@${sender.domain}`))?.text ?? '', error);
    for (const reversePath of [sender.address, ''])
      assert.match((await refusalOf(submit(sender, { reversePath }))).text, error);
    const { projectId, mailboxId } = sender;
    await newAlias(db.database, 'sales', [{ projectId, mailboxId }]);
    await using other = newSubmitter();
    const alias = { ...sender, address: `sales@${sender.domain}` };
    assert.equal((await other.submit(sender, mailFrom(alias))).outcome, 'accepted');
    assert.match(
      (await refusalOf(other.submit(sender, mailFrom(sender)))).text,
      new RegExp(`can send from sales@${sender.domain}`),
    );
  });

  test('the sender is checked in the envelope and in the header of the message', async () => {
    const sender = await newSender();
    const forged = await refusalOf(submit(sender, { reversePath: 'ceo@bank.test' }));
    assert.equal(forged.refusal, 'senderNotAllowed');
    const shown = await refusalOf(submit(sender, { raw: Buffer.from('From: ceo@bank.test\r\n\r\n') }));
    assert.equal(shown.refusal, 'senderNotAllowed');
    assert.deepEqual(await submissionsOf(sender), []);
  });

  test('a null sender, as in a read receipt, is accepted and stays null', async () => {
    const sender = await newSender();
    await idOf(submit(sender, { reversePath: '' }));
    assert.equal((await submissionsOf(sender))[0]?.reversePath, '');
  });

  test('a mailbox whose domain is unverified can write only to mailboxes of the project', async () => {
    const sender = await newSender({ isVerified: false });
    const friend = `bob@${sender.domain}`;
    inside.add(`${sender.projectId} ${friend}`);
    assert.equal(await submitter.checkRecipient(sender, friend), null);
    await idOf(submit(sender, {}, [friend]));
    for (const rejection of [
      await submitter.checkRecipient(sender, 'b@dst.test'),
      await refusalOf(submit(sender, {}, [friend, 'b@dst.test'])),
    ]) {
      assert.equal(rejection?.refusal, 'domainNotVerified');
      assert.match(
        rejection.text,
        new RegExp(
          `^${sender.domain} is not a verified domain .* b@dst\\.test is not one\\. Publish MX and TXT at send\\.${sender.domain} .* _domainkey\\.${sender.domain} .*posthorn domain show`,
        ),
      );
    }
  });

  test('mail of a mailbox that is locked for sending is rejected', async () => {
    const sender = await newSender();
    await sql`insert into sending_locks (project_id, mailbox_id, locked_at, reason, counts_from) values (${sender.projectId}, ${sender.mailboxId}, now(), 'refused', now())`.execute(
      db.database,
    );
    assert.equal((await submitter.checkSender(sender, sender.address))?.refusal, 'locked');
    assert.equal((await submitter.checkRecipient(sender, 'b@dst.test'))?.refusal, 'locked');
    assert.equal((await refusalOf(submit(sender))).refusal, 'locked');
    await unlockSending(db.database, sender.projectId, sender.mailboxId);
    await idOf(newSubmitter().submit(sender, mailFrom(sender)));
  });

  test('mail of a deleted mailbox is rejected', async () => {
    const deleted = { projectId: newUuid(), mailboxId: newUuid(), address: 'a@b.test', domain: 'b.test' };
    assert.equal((await submitter.checkSender(deleted, 'a@b.test'))?.refusal, 'locked');
    assert.equal((await refusalOf(submit(deleted))).refusal, 'locked');
  });
});

test('invalid, too many, or no recipients are rejected', async () => {
  const sender = await newSender();
  for (const path of [
    'b',
    '@dst.test',
    '<b@dst.test>',
    'b@dst.test\r\nRCPT TO:<c@dst.test>',
    '@a.test:b@dst.test',
    '',
  ]) {
    assert.equal((await submitter.checkRecipient(sender, path))?.refusal, 'badAddress', path);
    assert.equal((await refusalOf(submit(sender, {}, [path]))).refusal, 'badAddress', path);
  }
  assert.equal((await refusalOf(submit(sender, {}, []))).refusal, 'badAddress');
  const many = Array.from({ length: 101 }, (_, at) => `b${at}@dst.test`);
  assert.equal((await refusalOf(submit(sender, {}, many))).refusal, 'tooManyRecipients');
  await idOf(submit(sender, {}, many.slice(1)));
});

test('SMTPUTF8 is used for a non-ASCII recipient, and for a non-ASCII header if the client requested SMTPUTF8', async () => {
  const sender = await newSender();
  const utf8 = Buffer.from(`From: Jörg <${sender.address}>\r\n\r\nHello\r\n`);
  await idOf(submit(sender, { isUtf8: true }));
  await idOf(submit(sender, { isUtf8: true, raw: utf8 }));
  await idOf(submit(sender, { raw: utf8 }));
  await idOf(submit(sender, {}, ['jörg@dst.test']));
  assert.deepEqual(
    (await submissionsOf(sender)).map(({ isUtf8 }) => isUtf8),
    [false, true, false, true],
  );
});

suite('a repeated submission', () => {
  test('a repeated submission gets the reply of the first submission, and is not sent again', async () => {
    const sender = await newSender();
    const mail = mailFrom(sender, {}, ['b@dst.test', 'c@dst.test']);
    const twin = { ...mail, recipients: mail.recipients.toReversed() };
    const results = await Promise.all([mail, twin, mail].map((one) => submitter.submit(sender, one)));
    const later = await newSubmitter().submit(sender, mail);
    const all = [...results, later].map((result) =>
      result.outcome === 'accepted' ? result : assert.fail(result.text),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.deepEqual(
      all.map(({ isReplay }) => isReplay),
      [false, true, true, true],
    );
    assert.equal((await submissionsOf(sender)).length, 1);
  });

  test('a submission with other recipients, another mailbox, other bytes or no Message-ID is no repetition, and is sent', async () => {
    const sender = await newSender();
    const other = await newSender();
    const mail = mailFrom(sender);
    await idOf(submitter.submit(sender, mail));
    const to = (forwardPath: string) => [{ forwardPath, notify: null, originalRecipient: null }];
    await idOf(submitter.submit(sender, { ...mail, recipients: to('c@dst.test') }));
    await idOf(
      submitter.submit(sender, { ...mail, raw: Buffer.concat([mail.raw, Buffer.from('more\r\n')]) }),
    );
    const bare = { ...mail, raw: Buffer.from(`From: ${sender.address}\r\n\r\nHello\r\n`) };
    await idOf(submitter.submit(sender, bare));
    await idOf(submitter.submit(sender, bare));
    assert.equal((await submissionsOf(sender)).length, 5);
    const theirs = mailFrom(other);
    await idOf(submitter.submit(other, { ...theirs }));
    assert.equal((await submissionsOf(other)).length, 1);
  });

  test('a repeated submission does not count towards a limit, even if the limit is reached', async () => {
    const sender = await newSender({ daily: 1 });
    const mail = mailFrom(sender);
    const id = await idOf(submitter.submit(sender, mail));
    assert.deepEqual(await submitter.submit(sender, mail), { outcome: 'accepted', id, isReplay: true });
    assert.equal((await refusalOf(submit(sender))).refusal, 'dailyLimit');
  });

  for (const [where, fields] of [
    ['without a daily limit', {}],
    ['with a daily limit', { daily: 9 }],
  ] as const)
    test(`a repeated submission is sent if the first submission failed for all recipients, ${where}`, async () => {
      const sender = await newSender(fields);
      const mail = mailFrom(sender, {}, ['b@dst.test', 'c@dst.test']);
      const id = await idOf(submitter.submit(sender, mail));
      const fail = (upTo: number) =>
        sql`
          update submission_recipients set outcome = 'failed' where submission_id = ${id} and recipient_index <= ${upTo}`.execute(
          db.database,
        );
      await fail(0);
      assert.deepEqual(await submitter.submit(sender, mail), { outcome: 'accepted', id, isReplay: true });
      await fail(1);
      const again = await idOf(submitter.submit(sender, mail));
      assert.notEqual(again, id);
      assert.deepEqual(await submitter.submit(sender, mail), {
        outcome: 'accepted',
        id: again,
        isReplay: true,
      });
    });
});

suite('limits', () => {
  test('daily limits count recipients, and concurrent messages cannot exceed a limit', async () => {
    const sender = await newSender({ daily: 20 });
    const others = [submitter, newSubmitter()];
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        (others[at % 2] as Submitter).submit(
          sender,
          mailFrom(sender, {}, [`a${at}@dst.test`, `b${at}@dst.test`]),
        ),
      ),
    );
    assert.equal(results.filter(({ outcome }) => outcome === 'accepted').length, 10);
    const recipients = (await submissionsOf(sender)).reduce((sum, row) => sum + row.recipients, 0);
    assert.equal(recipients, 20);
    assert.ok(results.every((result) => result.outcome === 'accepted' || result.refusal === 'dailyLimit'));
  });

  test('a daily limit allows more mail when enough recipients are a day old', async () => {
    const sender = await newSender({ daily: 5 });
    const ids = [];
    for (const to of [['a@x.test'], ['b@x.test', 'c@x.test'], ['d@x.test']])
      ids.push(await idOf(submit(sender, {}, to)));
    // The three messages were sent 20, 10 and 1 hours ago.
    const sentAt = [20, 10, 1].map((hours) => new Date(Date.now() - hours * 3_600_000));
    for (const [at, id] of ids.entries())
      await sql`update submissions set id = ${firstUuidAt(sentAt[at] as Date)}::uuid where id = ${id}`.execute(
        db.database,
      );
    const [two, four] = await Promise.all([
      refusalOf(submit(sender, {}, ['e@x.test', 'f@x.test'])),
      refusalOf(submit(sender, {}, ['e@x.test', 'f@x.test', 'g@x.test', 'h@x.test'])),
    ]);
    // The reply rounds the time up to a minute, so that a retry at this minute is accepted.
    const dayAfter = (sent: Date | undefined): string =>
      new Date(Math.ceil(Number(sent) / 60_000) * 60_000 + 24 * 3_600_000)
        .toISOString()
        .slice(0, 16)
        .replace('T', ' ');
    assert.match(two.text, new RegExp(`after ${dayAfter(sentAt[0])} UTC`));
    assert.match(four.text, new RegExp(`after ${dayAfter(sentAt[1])} UTC`));
    assert.equal(
      (
        await refusalOf(
          submit(
            sender,
            {},
            'abcdef'.split('').map((name) => `${name}@x.test`),
          ),
        )
      ).refusal,
      'overDailyLimit',
    );
    await idOf(submit(sender));
  });

  test('the limit of a plan counts the messages of all mailboxes of the project in a month, including deleted messages', async () => {
    const sender = await newSender({ plan: 'free' });
    const other = await newSender({ projectId: sender.projectId });
    const limit = PLAN_LIMITS.free.mailboxEmailsPerMonth ?? 0;
    await sql`insert into deleted_submissions (project_id, month, submissions)
      values (${sender.projectId}, date_trunc('month', now() at time zone 'utc'), ${limit - 7})`.execute(
      db.database,
    );
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const from = at % 2 === 0 ? sender : other;
        return submitter.submit(from, mailFrom(from, {}, ['a@x.test', 'b@x.test']));
      }),
    );
    assert.equal(results.filter(({ outcome }) => outcome === 'accepted').length, 7);
    const refused = await refusalOf(submit(sender));
    assert.equal(refused.refusal, 'planLimit');
    assert.match(refused.text, /the 300 messages .* after \d{4}-\d\d-01 00:00 UTC/);
  });

  test('the plan sets the limit on the size of a file', async () => {
    const sender = await newSender({ plan: 'free' });
    const message = (octets: number): Buffer =>
      Buffer.concat([
        Buffer.from(`From: ${sender.address}\r\nContent-Type: application/pdf\r\n\r\n`),
        Buffer.alloc(octets, 'a'),
      ]);
    const { fileBytes } = PLAN_LIMITS.free;
    await idOf(submit(sender, { raw: message(fileBytes - 2) }));
    const refused = await refusalOf(submit(sender, { raw: message(fileBytes) }));
    assert.equal(refused.refusal, 'fileTooLarge');
    assert.match(refused.text, /20\.1 MB\. The plan of the project allows 20 MB/);
    const [row] = await submissionsOf(sender);
    const bytes = await (await blobs.open(sender.projectId, row?.digest ?? Buffer.alloc(0)))?.read();
    assert.equal(bytes?.length, row?.octets);
  });
});

suite('a copy in Sent', () => {
  async function sentOf(sender: Sender) {
    const folders = await store.folders(sender);
    const sent = folders.find(({ role }) => role === 'sent');
    return store.page({ ...sender, folderId: sent?.id ?? '' }, null, 10);
  }

  test('the copy in Sent is stored in the same transaction, marked as read, and has the hidden recipients', async () => {
    const sender = await newSender({ saveSent: true });
    const raw = Buffer.from(
      `From: ${sender.address}\r\nBcc: c@dst.test\r\nMessage-ID: <s@app.test>\r\nSubject: Kept\r\n\r\nHello\r\n`,
    );
    await idOf(submit(sender, { raw }));
    assert.equal((await submitter.submit(sender, mailFrom(sender, { raw }))).outcome, 'accepted');
    const [message, ...more] = await sentOf(sender);
    assert.deepEqual([message?.subject, message?.flags, more.length], ['Kept', 1, 0]);
    assert.deepEqual(
      message?.addresses.bcc.map(({ address }) => address),
      ['c@dst.test'],
    );
    const [row] = await submissionsOf(sender);
    const bytes = await (await blobs.open(sender.projectId, row?.digest ?? Buffer.alloc(0)))?.read();
    assert.doesNotMatch(bytes?.toString() ?? '', /Bcc/);
  });

  test('if the copy in Sent would exceed the quota, the mail is not sent', async () => {
    const sender = await newSender({ saveSent: true, quotaMb: 1 });
    const raw = Buffer.concat([Buffer.from(`From: ${sender.address}\r\n\r\n`), Buffer.alloc(1_100_000, 'a')]);
    assert.equal((await refusalOf(submit(sender, { raw }))).refusal, 'mailboxFull');
    assert.deepEqual([(await submissionsOf(sender)).length, (await sentOf(sender)).length], [0, 0]);
    await idOf(submit(sender));
    assert.equal((await sentOf(sender)).length, 1);
  });
});

test('mail of a mailbox that sends little overtakes queued mail of other mailboxes that is less than an hour older', async () => {
  await emptyQueue(db.database);
  const many = await newSender();
  const few = await newSender({ projectId: many.projectId });
  const others = Array.from({ length: 100 }, (_, at) => `${at}@dst.test`);
  for (let n = 0; n < 2; n++) await idOf(submit(many, {}, others));
  await idOf(submit(few, {}, ['few@dst.test']));
  const lease = await Lease.begin(db.database, newUuid(), 'turns');
  const claimed = await claimRows(db.database, lease.leaseId, 101);
  // The first message of the other mailbox had the same boost and is claimed too.
  assert.ok(claimed.some(({ address }) => address === 'few@dst.test'));
  await passTime(db.database, '1 hour');
  await idOf(submit(few, {}, ['late@dst.test']));
  const next = await claimRows(db.database, lease.leaseId, 100);
  // The timer of the lease would prevent the process from ending.
  lease.stop();
  assert.ok(next.every(({ address }) => address !== 'late@dst.test'));
});

suite('a message for another mailbox', () => {
  async function member(sending: 'none' | 'on-behalf' | 'as') {
    const info = await newSender();
    const ann = await newSender({ projectId: info.projectId });
    const grant = (right: typeof sending) =>
      shareMailbox(db.database, info, { member: ann.address, access: 'read', sending: right });
    await grant(sending);
    const mail = mailFrom(info);
    return {
      info,
      ann,
      grant,
      send: (fields: Partial<SubmittedMail> = {}) => submitter.submit(ann, { ...mail, ...fields }),
    };
  }
  const sentOf = async (mailbox: MailboxKey) =>
    (await store.folders(mailbox)).find(({ role }) => role === 'sent')?.messages;

  for (const sending of ['as', 'on-behalf'] as const)
    test(`is sent ${sending}, with a copy in the Sent folder of that mailbox only`, async () => {
      const { info, ann, send } = await member(sending);
      const id = await idOf(send());
      assert.deepEqual([await sentOf(info), await sentOf(ann)], [1, 0]);
      const { mailboxId, fromAddress } = await db.database
        .selectFrom('submissions')
        .select(['mailboxId', 'fromAddress'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      // Delivery reports and limits are those of the member.
      assert.deepEqual([mailboxId, fromAddress], [ann.mailboxId, info.address]);
      assert.deepEqual(await send(), { outcome: 'accepted', id, isReplay: true });
      assert.equal(await sentOf(info), 1);
      assert.equal(await submitter.checkSender(ann, info.address), null);
    });

  test('is rejected without the right, and from a mailbox that is not a member', async () => {
    const { info, send } = await member('none');
    assert.equal((await refusalOf(send())).refusal, 'senderNotAllowed');
    const other = await newSender({ projectId: info.projectId });
    assert.equal((await refusalOf(submitter.submit(other, mailFrom(info)))).refusal, 'senderNotAllowed');
  });

  test('is the only mail that has its address in the envelope', async () => {
    const { info, ann } = await member('as');
    const refusal = await refusalOf(submitter.submit(ann, mailFrom(ann, { reversePath: info.address })));
    assert.deepEqual([refusal.refusal, refusal.text.startsWith('MAIL FROM')], ['senderNotAllowed', true]);
  });

  test('is rejected at once after the right is revoked or reduced, although rights are cached', async () => {
    const { info, ann, grant, send } = await member('as');
    assert.equal(await submitter.checkSender(ann, info.address), null);
    await grant('on-behalf');
    const refusal = await refusalOf(send());
    assert.deepEqual([refusal.refusal, /was revoked/.test(refusal.text)], ['senderNotAllowed', true]);
    await unshareMailbox(db.database, info, ann.address);
    assert.match((await refusalOf(send())).text, /was revoked/);
    assert.equal(await sentOf(info), 0);
  });

  test('is rejected if that mailbox is full', async () => {
    const { info, send } = await member('as');
    await db.database.updateTable('mailboxes').set({ quotaMb: 0 }).where('id', '=', info.mailboxId).execute();
    assert.equal((await refusalOf(send())).refusal, 'mailboxFull');
  });

  test('can be sent by two owners for each other at the same time', async () => {
    const { info, ann, send } = await member('as');
    await shareMailbox(db.database, ann, { member: info.address, access: 'read', sending: 'as' });
    const handOver = (mailbox: MailboxKey) => ({
      hold: (tx: DatabaseTransaction) => lockForWriting(tx, mailbox),
      done: async () => () => {},
    });
    await store.ensureFolders([info, ann]);
    const other = newSubmitter();
    for (let round = 0; round < 5; round++)
      await Promise.all([
        submitter.submitWith(ann, mailFrom(info), handOver(ann)),
        other.submitWith(info, mailFrom(ann), handOver(info)),
      ]);
    await other[Symbol.asyncDispose]();
    await idOf(send());
    assert.deepEqual([await sentOf(info), await sentOf(ann)], [6, 5]);
  });
});
