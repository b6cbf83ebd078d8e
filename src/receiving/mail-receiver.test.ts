import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { newAlias, newMailbox as newMailboxOnClaim } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newDomain } from '../../test/support/projects.ts';
import { newSubmission, recipientOf } from '../../test/support/submissions.ts';
import { Blobs } from '../blobs/blobs.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { newUuid } from '../model/ids.ts';
import { dsn, type DsnFields, VACATION } from '../reports/receive/reports.fixture.ts';
import { ReportReceiver } from '../reports/receive/report-receiver.ts';
import { TIMINGS } from '../reports/receive/timings.ts';
import { ReturnPaths } from '../reports/return-path.ts';
import { DEFAULT_NOTIFY } from '../rfc/smtp/dsn-parameters.ts';
import { insertSubmissions, type NewSubmission } from '../sending/submit/insert-submissions.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { Store } from '../store/store.ts';
import { MessageFiler } from './file/message-filer.ts';
import { MailReceiver } from './mail-receiver.ts';
import { OperatorInbox } from './operators/operator-mail.ts';
import { Router } from './route/router.ts';
import { MailboxFiltersCache } from './rules/mailbox-filters.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-receiver-'));
const returnPaths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));
const logger = pino({ level: 'silent' });
const facts = new FactsReader();
/** Creates a mailbox on a verified domain. */
async function newMailbox(...given: Parameters<typeof newMailboxOnClaim>) {
  const mailbox = await newMailboxOnClaim(...given);
  await given[0]
    .updateTable('domains')
    .set({ status: 'verified' })
    .where('projectId', '=', mailbox.projectId)
    .execute();
  return mailbox;
}

let db: TestDatabase;
let receiver: MailReceiver;
const timings = { ...TIMINGS };
before(async () => {
  db = await testDatabase();
  const { database } = db;
  const policy = { result: 'fail', domain: 'relay.test', published: 'reject' } as const;
  receiver = new MailReceiver({
    reports: new ReportReceiver({ database, returnPaths, logger, onEvents: () => {}, timings }),
    router: new Router({
      database,
      hostname: 'mx.posthorn.example',
      hostedDomain: 'posthorn.example',
      postmaster: null,
      trustsManualVerification: false,
      mxWatch: { current: (_, known) => known, ownHosts: ['mx.example'] },
    }),
    filer: new MessageFiler({
      hostname: 'mx.posthorn.example',
      routeLimits: { take: () => true },
      // Every check says that the message is spam from an unknown sender.
      examiner: {
        examine: async () => ({
          isHeaderTooLong: false,
          files: [],
          bodyHash: null,
          authentication: {
            spf: { result: 'none', domain: 'relay.test' },
            dkim: [],
            dmarc: policy,
            arc: { result: 'none', sealers: [] },
            iprev: { result: 'fail', name: null },
            policy: 'reject',
            header: 'mx.posthorn.example; spf=none',
          },
          verdictsFor: async () => () => ({ score: 9, reasons: [] }),
        }),
      },
      blobs: new Blobs(database, new ObjectFiles(folder)),
      facts,
      store: new Store(database),
      filters: new MailboxFiltersCache(database),
      database,
      returnPaths,
      serviceTokens: { isLive: () => false },
      onQueued: () => {},
      logger,
    }),
    operatorMail: new OperatorInbox({ database, facts }),
    logger,
  });
});
after(async () => {
  await facts[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const returnPathOf = (mailbox: MailboxKey, sentAt = new Date()) =>
  returnPaths.mintForMailbox(mailbox, sentAt, 'send.acme.example');

const USAGE = { octets: 0, quotaOctets: 1_000_000, fullSince: null, storageLeft: null };
const deliveryTo = (key: MailboxKey) => ({
  mailbox: {
    ...key,
    address: 'anna@acme.example',
    spamLevel: 'medium' as const,
    filingVersion: 0,
    usage: USAGE,
  },
});

/** Sends a message to one recipient. @returns the reply to RCPT if it is rejected, otherwise the reply to the message */
async function receive(raw: Buffer, forwardPath: string, reversePath = '') {
  const route = await receiver.route({ forwardPath, size: null });
  if ('refusal' in route) return route.refusal;
  const mail = { address: '192.0.2.1', helo: 'relay.test', isExtended: true, tls: null, isUtf8: false };
  return receiver.receive({ ...mail, reversePath, raw }, [route.addressee]);
}

async function foldersOf({ projectId, mailboxId }: MailboxKey) {
  const folders = await new Store(db.database).folders({ projectId, mailboxId });
  return folders.flatMap(({ role, messages }) => (messages > 0 ? [[role, messages]] : []));
}

test('a bounce report is filed in the Inbox of its mailbox even if it looks like spam', async () => {
  const mailbox = await newMailbox(db.database);
  assert.equal(await receive(dsn(), returnPathOf(mailbox).toUpperCase()), 'accepted');
  assert.deepEqual(await foldersOf(mailbox), [['inbox', 1]]);
});

test('mail to operators without a mailbox is stored once, even if sent twice or refused by another recipient', async () => {
  const anna = await newMailbox(db.database);
  const raw = Buffer.from('From: a@good.example\r\nSubject: =?utf-8?q?Abu=73e?=\r\n\r\nHi\r\n');
  assert.equal(await receive(raw, 'postmaster', 'a@good.example'), 'accepted');
  const operators = await receiver.route({ forwardPath: 'abuse@posthorn.example', size: null });
  const refused = { deliveries: [{ ...deliveryTo(anna), address: 'anna@acme.example' }] };
  assert.ok('addressee' in operators);
  const mail = { address: '192.0.2.1', helo: 'relay.test', isExtended: true, tls: null, isUtf8: false };
  const brought = { ...mail, reversePath: 'a@good.example', raw };
  assert.equal(await receiver.receive(brought, [operators.addressee, refused]), 'accepted');
  assert.deepEqual(await foldersOf(anna), [['junk', 1]]);
  const rows = await db.database.selectFrom('operatorMail').selectAll().execute();
  assert.equal(rows.length, 1);
  assert.partialDeepStrictEqual(rows[0], {
    recipients: ['abuse@posthorn.example', 'postmaster'],
    reversePath: 'a@good.example',
    clientAddress: '192.0.2.1',
    author: 'a@good.example',
    subject: 'Abuse',
    raw,
  });
});

/** Creates a message to b and c with the outcome `delivered` for both recipients. */
async function sent(notify = DEFAULT_NOTIFY): Promise<NewSubmission> {
  const mailbox = await newMailbox(db.database, { quotaMb: 1 });
  const recipients = ['b', 'c'].map((name) => ({ ...recipientOf(`${name}@dst.test`), notify }));
  const submission = newSubmission({ ...mailbox, messageId: '<1@acme.example>', recipients });
  await insertSubmissions(db.database, [submission]);
  await setOutcome(submission, 'delivered');
  return submission;
}

const setOutcome = ({ submissionId }: NewSubmission, outcome: string | null) =>
  sql`
    with taken as (update queue set in_flight = ${outcome === null} where email_id = ${submissionId})
    update submission_recipients set outcome = ${outcome} where submission_id = ${submissionId}`.execute(
    db.database,
  );

async function recipientsOf({ submissionId }: NewSubmission) {
  return db.database
    .selectFrom('submissionRecipients')
    .select(['outcome', 'noticeDue', 'reported', 'detail'])
    .where('submissionId', '=', submissionId)
    .orderBy('recipientIndex')
    .execute();
}

const failure = (fields: DsnFields = {}) =>
  dsn({ recipient: 'B@DST.test', messageId: '<1@acme.example>', ...fields });
const UNCHANGED = { outcome: 'delivered', noticeDue: false, reported: null, detail: null };

test('a failure reported after delivery causes one notice to the sender, even if the mailbox of the sender is full', async () => {
  const of = await sent();
  await new Store(db.database).ensureFolders([of]);
  await sql`update mailbox_states set octets = 1048576 where mailbox_id = ${of.mailboxId}`.execute(
    db.database,
  );
  assert.equal(await receive(failure(), returnPathOf(of)), 'accepted');
  const [failed, other] = await recipientsOf(of);
  assert.deepEqual(other, UNCHANGED);
  assert.partialDeepStrictEqual(failed, {
    outcome: 'failed',
    noticeDue: true,
    reported: 'bounced',
    detail: {
      category: 'unknown_user',
      remote_mta: 'mx.dst.test',
      source: 'dsn',
      suppressed: false,
      was: 'delivered',
    },
  });
  await sql`update submission_recipients set notice_due = false`.execute(db.database);
  assert.equal(await receive(failure(), returnPathOf(of)), 'accepted');
  assert.deepEqual(await recipientsOf(of), [{ ...failed, noticeDue: false }, UNCHANGED]);
  assert.deepEqual(await foldersOf(of), []);
});

test('a report that names a forwarding address applies to the original recipient', async () => {
  const of = await sent();
  const raw = failure({ recipient: 'bea@else.test', originalRecipient: 'b@dst.test' });
  assert.equal(await receive(raw, returnPathOf(of)), 'accepted');
  assert.partialDeepStrictEqual(await recipientsOf(of), [{ outcome: 'failed', noticeDue: true }, UNCHANGED]);
  // A failure of b's second forwarding address is new information.
  const next = failure({ recipient: 'ben@else.test', originalRecipient: 'b@dst.test' });
  assert.equal(await receive(next, returnPathOf(of)), 'accepted');
  assert.deepEqual(await foldersOf(of), [['inbox', 1]]);
});

const FILED: [what: string, raw: Buffer][] = [
  ['another message', failure({ messageId: '<2@acme.example>' })],
  ['an unknown message', dsn()],
  ['an address that was not a recipient', failure({ recipient: 'x@dst.test' })],
  ['mail that is still being retried', failure({ action: 'delayed' })],
];
for (const [what, raw] of FILED)
  test(`a report about ${what} is filed in the Inbox, and changes no outcome`, async () => {
    const [of, another] = [await sent(), await sent()];
    assert.equal(await receive(raw, returnPathOf(of)), 'accepted');
    for (const one of [of, another]) assert.deepEqual(await recipientsOf(one), [UNCHANGED, UNCHANGED]);
    assert.deepEqual(await foldersOf(of), [['inbox', 1]]);
  });

test('a report about a known and an unknown recipient causes a notice and is also filed in the Inbox', async () => {
  const of = await sent();
  const others = [{ recipient: 'x@dst.test', action: 'failed' }];
  assert.equal(await receive(failure({ others }), returnPathOf(of)), 'accepted');
  assert.partialDeepStrictEqual(await recipientsOf(of), [{ outcome: 'failed', noticeDue: true }, UNCHANGED]);
  assert.deepEqual(await foldersOf(of), [['inbox', 1]]);
});

test('a sender who declined notices gets no report, but the outcome is recorded', async () => {
  const of = await sent(0);
  for (const action of ['delayed', 'delivered', 'failed'])
    assert.equal(await receive(failure({ action }), returnPathOf(of)), 'accepted');
  const counted = { outcome: 'failed', noticeDue: false, reported: 'bounced' };
  assert.partialDeepStrictEqual(await recipientsOf(of), [counted, UNCHANGED]);
  assert.deepEqual(await foldersOf(of), []);
});

test('a report that arrives before the delivery itself is recorded waits for that record, for a limited time', async () => {
  const of = await sent();
  await setOutcome(of, null);
  Object.assign(timings, { retryMs: 20, maxAttempts: 1_000 });
  const answer = receive(failure(), returnPathOf(of));
  await setOutcome(of, 'delivered');
  assert.equal(await answer, 'accepted');
  assert.partialDeepStrictEqual(await recipientsOf(of), [{ outcome: 'failed', noticeDue: true }, UNCHANGED]);
  await setOutcome(of, null);
  Object.assign(timings, { retryMs: 1, maxAttempts: 2 });
  assert.equal(await receive(failure(), returnPathOf(of)), 'accepted');
  assert.deepEqual(await foldersOf(of), [['inbox', 1]]);
});

test('an automatic reply to the return path, or a report with a reverse-path, is filtered like other mail', async () => {
  const mailbox = await newMailbox(db.database);
  const refused = { refused: '5.7.1 relay.test has a DMARC policy that rejects this message' };
  assert.deepEqual(await receive(VACATION, returnPathOf(mailbox)), refused);
  // Any sender can write mail that looks like a report. Genuine reports have no reverse-path (RFC 5321, section 4.5.5).
  assert.deepEqual(await receive(dsn(), returnPathOf(mailbox), 'mallory@relay.test'), refused);
  await sql`update mailboxes set spam_level = 'off' where id = ${mailbox.mailboxId}`.execute(db.database);
  const other = await newMailbox(db.database);
  await sql`update mailboxes set spam_level = 'off' where id = ${other.mailboxId}`.execute(db.database);
  assert.equal(await receive(VACATION, returnPathOf(other)), 'accepted');
  assert.deepEqual([await foldersOf(mailbox), await foldersOf(other)], [[], [['junk', 1]]]);
});

test('a forged, changed or expired return path is rejected', async () => {
  const mailbox = await newMailbox(db.database);
  const address = returnPathOf(mailbox);
  const strange = new ReturnPaths(createSecretKey(Buffer.alloc(32, 2)));
  for (const forged of [
    strange.mintForMailbox(mailbox, new Date(), 'send.acme.example'),
    address.replace('acme', 'evil'),
    address.replace('m+', 'b+'),
    returnPathOf(mailbox, new Date(Date.now() - 40 * 24 * 3_600_000)),
  ])
    assert.equal(await receive(dsn(), forged), 'noRelay', forged);
  assert.deepEqual(await foldersOf(mailbox), []);
});

test('a report to a deleted or full mailbox is rejected', async () => {
  const [deleted, full] = [await newMailbox(db.database), await newMailbox(db.database, { quotaMb: 1 })];
  await db.database.deleteFrom('mailboxes').where('id', '=', deleted.mailboxId).execute();
  assert.equal(await receive(dsn(), returnPathOf(deleted)), 'noSuchRecipient');
  await new Store(db.database).ensureFolders([full]);
  await sql`update mailbox_states set octets = 1048576 where mailbox_id = ${full.mailboxId}`.execute(
    db.database,
  );
  assert.equal(await receive(dsn(), returnPathOf(full)), 'mailboxFull');
});

test('a message to the return path of a full mailbox can have no other recipient, so that the mailbox cannot grow', async () => {
  const [full, other] = [await newMailbox(db.database, { quotaMb: 1 }), await newMailbox(db.database)];
  await new Store(db.database).ensureFolders([full]);
  await sql`update mailbox_states set octets = 1048576 where mailbox_id = ${full.mailboxId}`.execute(
    db.database,
  );
  const report = returnPaths.mint({ ...full, emailId: newUuid(), recipientIndex: 0 }, 'send.acme.example');
  const others = [returnPathOf(other), `anna@${other.mailboxId.slice(-12)}.example`, report];
  for (const [first, second] of others.flatMap((each) => [
    [each, returnPathOf(full)] as const,
    [returnPathOf(full), each] as const,
  ])) {
    const route = await receiver.route({ forwardPath: first, size: null });
    assert.ok('addressee' in route, first);
    assert.deepEqual(await receiver.route({ forwardPath: second, size: null }, [route.addressee]), {
      refusal: 'tooManyRecipients',
    });
  }
});

test('a message for a route has no recipient that would get it again if the route defers it', async () => {
  const other = await newMailbox(db.database);
  const { projectId } = other;
  const domainId = await newDomain(db.database, projectId, 'routes.example', { status: 'verified' });
  const row = { projectId, id: newUuid(), domainId, domain: 'routes.example', format: 'raw' } as const;
  const times = { createdAt: new Date(), updatedAt: new Date() };
  await db.database
    .insertInto('routes')
    .values({ ...row, ...times, kind: 'domain', secretSealed: '' })
    .execute();
  const report = returnPaths.mint({ ...other, emailId: newUuid(), recipientIndex: 0 }, 'send.acme.example');
  const reached = async (first: string, second: string) => {
    const route = await receiver.route({ forwardPath: first, size: null });
    assert.ok('addressee' in route, first);
    const next = await receiver.route({ forwardPath: second, size: null }, [route.addressee]);
    return 'refusal' in next ? next.refusal : 'accepted';
  };
  const routed = 'any@routes.example';
  for (const address of [report, returnPathOf(other), 'postmaster'])
    assert.deepEqual(
      [await reached(address, routed), await reached(routed, address)],
      ['tooManyRecipients', 'tooManyRecipients'],
    );
  const person = `anna@${other.mailboxId.slice(-12)}.example`;
  for (const address of [person, 'more@routes.example'])
    assert.equal(await reached(routed, address), 'accepted');
});

test('a report that the same mailbox already received is rejected as a loop', async () => {
  const mailbox = await newMailbox(db.database);
  const { domain } = await db.database
    .selectFrom('mailboxes')
    .select('domain')
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  for (const seen of [`Delivered-To: anna@${domain}`, `Delivered-To: ${returnPathOf(mailbox)}`]) {
    const again = Buffer.concat([Buffer.from(`${seen}\r\n`), dsn()]);
    assert.equal(await receive(again, returnPathOf(mailbox)), 'loop');
  }
  assert.deepEqual(await foldersOf(mailbox), []);
});

test('mail to an alias and to one of its mailboxes is delivered to each mailbox once', async () => {
  const [ann, ben] = [await newMailbox(db.database), await newMailbox(db.database)];
  await sql`update mailboxes set spam_level = 'off'`.execute(db.database);
  const moved = await newMailbox(db.database, { projectId: ann.projectId });
  await newAlias(db.database, 'team', [ann, moved]);
  const domain = (mailbox: MailboxKey) => `${mailbox.mailboxId.slice(-12)}.example`;
  const addressees = [];
  for (const forwardPath of [`anna@${domain(ann)}`, `TEAM+x@${domain(ann)}`, `anna@${domain(ben)}`]) {
    const route = await receiver.route({ forwardPath, size: null });
    assert.ok('addressee' in route);
    addressees.push(route.addressee);
  }
  const client = { address: '192.0.2.1', helo: 'relay.test', isExtended: true, tls: null, isUtf8: false };
  const mail = { ...client, reversePath: 'b@relay.test', raw: VACATION };
  assert.equal(await receiver.receive(mail, addressees), 'accepted');
  for (const mailbox of [ann, moved, ben]) assert.deepEqual(await foldersOf(mailbox), [['junk', 1]]);
});

test('a message can reach at most 500 mailboxes, including the mailboxes of aliases', async () => {
  const [ann, ben] = [await newMailbox(db.database), await newMailbox(db.database)];
  await newAlias(db.database, 'pair', [ann, await newMailbox(db.database, { projectId: ann.projectId })]);
  const address = (localPart: string, { mailboxId }: MailboxKey) =>
    `${localPart}@${mailboxId.slice(-12)}.example`;
  const paths = { forwardPath: address('pair', ann), size: null };
  const route = await receiver.route(paths);
  assert.ok('addressee' in route && 'deliveries' in route.addressee);
  const { deliveries } = route.addressee;
  const others = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      deliveries.slice(0, 1).map((one) => ({ ...one, mailbox: { ...one.mailbox, mailboxId: `${n}` } })),
    ).map((deliveries) => ({ deliveries }));
  assert.ok('addressee' in (await receiver.route(paths, others(498))));
  assert.deepEqual(await receiver.route(paths, others(499)), { refusal: 'tooManyRecipients' });
  // A mailbox counts once, even with several of its addresses.
  const full = [...others(498), { deliveries }];
  assert.ok('addressee' in (await receiver.route({ ...paths, forwardPath: address('anna', ann) }, full)));
  assert.deepEqual(await receiver.route({ ...paths, forwardPath: address('anna', ben) }, full), {
    refusal: 'tooManyRecipients',
  });
});
