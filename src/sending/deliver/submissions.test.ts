import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { startDelivery } from '../../../test/support/deliveries.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { claimRows, emptyQueue, hasWork, setDue } from '../../../test/support/queue-rows.ts';
import { relayTo } from '../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../test/support/smtp-server.ts';
import { verifyArc } from '../../../test/support/verify-arc.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import { createKey } from '../../domains/dkim-key.ts';
import { newUuid, timeOf } from '../../model/ids.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../../reports/return-path.ts';
import { dkimRecord } from '../../rfc/dkim/record.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { readRecords } from '../locks/sending-records.ts';
import { insertSubmissions, type NewSubmission } from '../submit/insert-submissions.ts';
import { DEFAULT_NOTIFY, NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import { InsideProvider } from './inside.ts';
import { recordAbandoned } from './record-abandoned.ts';
import type { Outcome, OutboundMessage, Provider } from './provider.ts';
import { createSandbox } from './sandbox.ts';
import { withdrawOlder } from './withdraw.ts';
import { pino } from 'pino';

let db: Awaited<ReturnType<typeof sealedDatabase>>;
let projectId: string;
let publicKey: string;
const DOMAIN = 'acme.test';

before(async () => {
  db = await sealedDatabase();
  projectId = await newProject(db.database);
  const domainId = await newDomain(db.database, projectId, DOMAIN, {
    status: 'verified',
    verifiedAt: new Date(),
  });
  const key = await createKey(db.sealer, { projectId, domainId, selector: 'test' }, 'rsa-sha256');
  publicKey = key.publicKey;
  await db.database.insertInto('dkimKeys').values(key).execute();
});
beforeEach(() => emptyQueue(db.database));
after(() => db[Symbol.asyncDispose]());

const reply = (replyCode: number, text: string) => ({
  replyCode,
  enhancedCode: null,
  text,
  remoteMta: 'mx.dst.test',
  tls: true,
  dialogue: [{ atMs: 1, by: 'server' as const, text }],
});
const TAKEN: Outcome = { outcome: 'accepted', reply: reply(250, 'ok'), providerMessageId: null };

function provider(
  answer: (message: OutboundMessage) => Outcome,
  isFinal = true,
): Provider & { sent: OutboundMessage[] } {
  const sent: OutboundMessage[] = [];
  return {
    sent,
    isFinal,
    capacity: 10,
    destinations: null,
    send: async (message) => {
      message.mayCommit();
      sent.push(message);
      return answer(message);
    },
    close: async () => {},
  };
}

const MESSAGE =
  'Received: by mx (Posthorn); x\r\nFrom: Jörg <ada@acme.test>\r\nSubject: Hi\r\nMessage-ID: <1@acme.test>\r\n\r\nA line  with spaces \r\n\xff\xfe\r\n';

function submission(fields: Partial<NewSubmission> = {}, raw: string | Buffer = MESSAGE): NewSubmission {
  return newSubmission({ projectId, fromAddress: 'ada@acme.test', fromDomain: DOMAIN, ...fields }, raw);
}

/** Delivers all mail in the queue. */
async function deliver(to: Provider): Promise<void> {
  await using _ = await startDelivery(db, to);
  assert.ok(await eventually(async () => !(await hasWork(db.database)), 10_000));
}

function recipients() {
  return db.database
    .selectFrom('submissionRecipients')
    .select(['address', 'outcome', 'detail', 'noticeDue', 'endedAt'])
    .orderBy('recipientIndex')
    .execute();
}

test('a submitted message is sent unchanged with a signature and the return path of its mailbox', async () => {
  const octets = Buffer.from(MESSAGE, 'latin1');
  const body = octets.subarray(octets.indexOf('\r\n\r\n') + 4);
  const hashed = submission(
    { bodyHash: hashBody(body), recipients: [recipientOf('a@dst.test'), recipientOf('b@dst.test')] },
    octets,
  );
  await insertSubmissions(db.database, [hashed, submission({ submissionId: newUuid() }, octets)]);
  const to = provider(() => TAKEN);
  await deliver(to);
  assert.equal(to.sent.length, 3);
  const paths = new ReturnPaths(db.sealer.deriveKey(RETURN_PATH_KEY));
  for (const { data, mailFrom, emailId, messageId } of to.sent) {
    assert.deepEqual(data.subarray(-octets.length), octets);
    const { results } = await dkimVerify(data, {
      resolver: async () => [[dkimRecord('rsa-sha256', publicKey)]],
    });
    assert.deepEqual(
      results.map(({ status }) => status.result),
      ['pass'],
    );
    assert.equal(messageId, '<1@posthorn.localhost>');
    if (emailId === hashed.submissionId)
      assert.equal(
        mailFrom,
        paths.mintForMailbox({ projectId, mailboxId: hashed.mailboxId }, timeOf(emailId), `send.${DOMAIN}`),
      );
  }
});

test('a redirected message is sent as submitted, with an ARC seal of its verification, and reports return to the mailbox', async () => {
  const submitted =
    'Received: by mx\r\nResent-From: ada@acme.test\r\nFrom: b@sender.test\r\nSubject: Hi\r\n\r\nA line  with spaces \r\n';
  const redirected = submission(
    { fromAddress: `ada@${DOMAIN}` },
    `Authentication-Results: mx.test; spf=none;\r\n\tdkim=pass; arc=none\r\n${submitted}`,
  );
  await insertSubmissions(db.database, [redirected]);
  const to = provider(() => TAKEN);
  await deliver(to);
  const [{ data, mailFrom, isForwarded, isRedirect } = assert.fail('nothing was sent')] = to.sent;
  assert.deepEqual([isForwarded, isRedirect], [true, true]);
  assert.match(mailFrom, /@send\.acme\.test$/);
  const text = data.toString();
  assert.ok(text.endsWith(submitted));
  assert.doesNotMatch(text, /DKIM-Signature/);
  assert.match(text, /^ARC-Authentication-Results: i=1; mx\.test; spf=none; dkim=pass; arc=none\r$/m);
  assert.equal(await verifyArc(data, dkimRecord('rsa-sha256', publicKey)), 'pass 1');
});

test('a forwarded message is sent as received, with an ARC seal of its verification', async () => {
  const received = 'From: b@sender.test\r\nSubject: Hi\r\n\r\nA line  with spaces \r\n';
  const filed = `Return-Path: <b@sender.test>\r\nReceived: from x\r\n\tby mx\r\nAuthentication-Results: mx.test;\r\n\tspf=pass; arc=none\r\n${received}`;
  const bodyHash = hashBody(Buffer.from('A line  with spaces \r\n'));
  const forward = { kind: 'forward', reversePath: 'f+1@send.acme.test' } as const;
  await insertSubmissions(db.database, [
    submission(forward, filed),
    submission({ ...forward, kind: 'moved', bodyHash }, filed),
  ]);
  const to = provider(() => TAKEN);
  await deliver(to);
  assert.equal(to.sent.length, 2);
  for (const { data, mailFrom, isForwarded } of to.sent) {
    assert.equal(mailFrom, 'f+1@send.acme.test');
    assert.equal(isForwarded, true);
    const text = data.toString();
    assert.ok(text.endsWith(received));
    assert.doesNotMatch(text, /Return-Path|DKIM-Signature/);
    assert.match(
      text,
      /^ARC-Seal: i=1; .*cv=none(.|\r\n)*\r\nDelivered-To: ada@acme\.test\r\nReceived: from x/,
    );
    assert.match(text, /^ARC-Authentication-Results: i=1; mx\.test; spf=pass; arc=none\r$/m);
    assert.equal(await verifyArc(data, dkimRecord('rsa-sha256', publicKey)), 'pass 1');
  }
});

test('the reverse-path of a submission is sent unchanged, even if it is null', async () => {
  await insertSubmissions(db.database, [
    submission({ reversePath: '' }),
    submission({ reversePath: 'srs=1@send.acme.test' }),
  ]);
  const to = provider(() => TAKEN);
  await deliver(to);
  assert.deepEqual(to.sent.map(({ mailFrom }) => mailFrom).sort(), ['', 'srs=1@send.acme.test']);
});

test('the outcome and the reply of each recipient are recorded, and requested notices become due', async () => {
  const all = NOTIFY.success | NOTIFY.failure;
  const of = (address: string, notify: number) => ({ address, notify, originalRecipient: null });
  await insertSubmissions(db.database, [
    submission({
      recipients: [
        of('ok@dst.test', all),
        of('quiet@dst.test', NOTIFY.failure),
        of('bad@dst.test', all),
        of('never@dst.test', 0),
        of('gone@dst.test', all),
      ],
    }),
  ]);
  const outcomes: Record<string, Outcome> = {
    'bad@dst.test': { outcome: 'permanent', reply: reply(550, '5.1.1 User unknown'), step: 'rcpt' },
    'never@dst.test': { outcome: 'permanent', reply: reply(550, '5.1.1 User unknown'), step: 'rcpt' },
    'gone@dst.test': {
      outcome: 'unroutable',
      reason: 'no_such_domain',
      reply: { ...reply(550, ''), replyCode: null, text: 'no domain' },
    },
  };
  await deliver(provider(({ rcptTo }) => outcomes[rcptTo] ?? TAKEN));
  const rows = await recipients();
  assert.deepEqual(
    rows.map(({ address, outcome, noticeDue }) => [address, outcome, noticeDue]),
    [
      ['ok@dst.test', 'delivered', true],
      ['quiet@dst.test', 'delivered', false],
      ['bad@dst.test', 'failed', true],
      ['never@dst.test', 'failed', false],
      ['gone@dst.test', 'failed', true],
    ],
  );
  assert.ok(rows.every(({ endedAt }) => endedAt !== null));
  assert.deepEqual(rows[2]?.detail, {
    recipient: 'bad@dst.test',
    type: 'hard',
    category: 'unknown_user',
    smtp_code: 550,
    enhanced_code: null,
    diagnostic: '550 5.1.1 User unknown',
    remote_mta: 'mx.dst.test',
    suppressed: false,
    source: 'smtp',
  });
  const listed = await db.database.selectFrom('suppressions').selectAll().execute();
  assert.deepEqual(listed, []);
  const events = await db.database.selectFrom('events').selectAll().execute();
  assert.deepEqual(events, []);
});

test('mail that a server in transit accepted is recorded as relayed, and mail that it deferred waits', async () => {
  await insertSubmissions(db.database, [
    submission({ recipients: [recipientOf('a@dst.test'), recipientOf('later@dst.test')] }),
  ]);
  const to = provider(
    ({ rcptTo }) =>
      rcptTo === 'later@dst.test'
        ? { outcome: 'transient', scope: 'message', reply: reply(451, '4.7.1 Try later') }
        : TAKEN,
    false,
  );
  await using _ = await startDelivery(db, to);
  assert.ok(
    await eventually(async () => (await recipients()).every(({ detail }) => detail !== null), 10_000),
  );
  const [first, second] = await recipients();
  assert.deepEqual([first?.outcome, second?.outcome, second?.endedAt], ['relayed', null, null]);
  assert.equal((second?.detail as { response?: string } | undefined)?.response, '451 4.7.1 Try later');
});

test('if the next server supports DSN, it gets the notification requests and sends the reports itself', async () => {
  const of = (address: string, notify: number, originalRecipient: string | null = null) => ({
    address,
    notify,
    originalRecipient,
  });
  const requested = {
    envelopeId: 'my id',
    returns: 'headers',
    recipients: [
      of('success@dst.test', NOTIFY.success, 'rfc822;Sales@Acme.test'),
      of('never@dst.test', 0),
      of('unasked@dst.test', DEFAULT_NOTIFY),
    ],
  } as const;
  for (const dsn of [true, false]) {
    await using server = await startSmtpServer({ dsn });
    await using relay = relayTo(server.port);
    await sql`delete from submission_recipients`.execute(db.database);
    await insertSubmissions(db.database, [
      submission(requested),
      submission({ ...requested, kind: 'forward' }),
    ]);
    await deliver(relay);
    assert.deepEqual(server.violations, []);
    const [withParameters, withoutParameters] = [
      [
        'NOTIFY=SUCCESS ORCPT=rfc822;Sales@Acme.test',
        'NOTIFY=NEVER ORCPT=rfc822;never@dst.test',
        'ORCPT=rfc822;unasked@dst.test',
      ],
      ['', '', ''],
    ];
    assert.deepEqual(
      server.messages.map(({ rcptParameters }) => rcptParameters.flat().join(' ')).toSorted(),
      [...(dsn ? withParameters : withoutParameters), ...withoutParameters].toSorted(),
    );
    assert.equal(
      server.messages.filter(({ mailParameters }) =>
        mailParameters.join(' ').endsWith('RET=HDRS ENVID=my+20id'),
      ).length,
      dsn ? 3 : 0,
    );
    const due = await sql<{ kind: string; address: string }>`
      select s.kind, r.address from submission_recipients r join submissions s on s.id = r.submission_id
      where r.notice_due order by 1, 2`.execute(db.database);
    // If the next server does not support DSN, Posthorn sends the success notice (RFC 3461, section 5.2.2).
    const ours = dsn ? [] : [{ kind: 'submitted', address: 'success@dst.test' }];
    assert.deepEqual(
      due.rows.filter(({ kind }) => kind === 'submitted'),
      ours,
    );
  }
});

test('simulated outcomes of the sandbox apply to mailbox mail, and a complaint counts against the mailbox', async () => {
  const names = ['anybody', 'bounced', 'complained', 'opened'];
  const sent = submission({ recipients: names.map((name) => recipientOf(`${name}@dst.test`)) });
  await insertSubmissions(db.database, [sent]);
  await deliver(createSandbox(db.database));
  const rows = await db.database
    .selectFrom('submissionRecipients')
    .selectAll()
    .orderBy('recipientIndex')
    .execute();
  assert.deepEqual(
    rows.map(({ outcome, reported, reportedAt }) => [outcome, reported, reportedAt !== null]),
    [
      ['delivered', null, false],
      ['failed', null, false],
      ['delivered', 'complained', true],
      ['delivered', null, false],
    ],
  );
  assert.partialDeepStrictEqual(await readRecords(db.database, [sent]), [
    { tried: 4, refused: 1, complained: 1 },
  ]);
});

test('the suppression list does not apply to mailbox mail', async () => {
  await sql`insert into suppressions (project_id, address, reason, created_at) values (${projectId}, 'b@dst.test', 'bounce', now())`.execute(
    db.database,
  );
  await insertSubmissions(db.database, [submission()]);
  await insertEmails(db.database, [newEmail({ projectId, sender: `a@${DOMAIN}` })]);
  const to = provider(() => TAKEN);
  await deliver(to);
  assert.deepEqual(
    to.sent.map(({ messageId }) => messageId),
    ['<1@posthorn.localhost>'],
  );
});

test('unsigned mail from an unverified domain is delivered within the project and never sent outside', async () => {
  const outside = provider(() => TAKEN);
  const deliveredHere: string[] = [];
  const mailboxOf = (owner: string) => ({
    projectId: owner,
    handOver: async ({ rcptTo }: OutboundMessage) => {
      deliveredHere.push(rcptTo);
      return { replyCode: 250, enhancedCode: '2.0.0', text: 'in the mailbox' };
    },
  });
  const mailboxes = {
    find: (address: string) =>
      address === 'own@acme.test'
        ? mailboxOf(projectId)
        : address === 'theirs@here.test'
          ? mailboxOf(newUuid())
          : null,
  };
  const fields = {
    fromDomain: 'pending.test',
    recipients: ['own@acme.test', 'theirs@here.test', 'b@dst.test'].map(recipientOf),
  };
  await insertSubmissions(db.database, [submission(fields)]);
  await deliver(new InsideProvider(outside, mailboxes, 'mx.posthorn.test', () => Promise.resolve('free')));
  assert.deepEqual([deliveredHere, outside.sent], [['own@acme.test'], []]);
  const rows = await recipients();
  assert.deepEqual(
    rows.map(({ outcome, detail }) => [outcome, (detail as { reason?: string }).reason]),
    [
      ['delivered', undefined],
      ['failed', 'domain_not_verified'],
      ['failed', 'domain_not_verified'],
    ],
  );
  await emptyQueue(db.database);
  await insertSubmissions(db.database, [submission(fields)]);
  await deliver(outside);
  assert.deepEqual(outside.sent, []);
});

test('mail of a mailbox that is being deleted is not sent', async () => {
  const deleted = submission();
  await insertSubmissions(db.database, [deleted, submission({ recipients: [recipientOf('c@dst.test')] })]);
  await db.database
    .insertInto('removals')
    .values({ projectId, id: deleted.mailboxId, kind: 'mailbox' })
    .execute();
  const to = provider(() => TAKEN);
  await using _ = await startDelivery(db, to);
  assert.ok(await eventually(() => to.sent.length > 0, 10_000));
  assert.deepEqual(
    to.sent.map(({ rcptTo }) => rcptTo),
    ['c@dst.test'],
  );
  await db.database.deleteFrom('removals').where('id', '=', deleted.mailboxId).execute();
});

test('queued mail of a locked mailbox fails with a notice to its sender, and forwarded mail is still sent', async () => {
  const { mailboxId } = await newMailbox(db.database, { projectId });
  const locked = submission({ mailboxId });
  const forwarded = submission({ mailboxId, kind: 'forward', recipients: [recipientOf('c@dst.test')] });
  await insertSubmissions(db.database, [locked, forwarded]);
  await db.database
    .insertInto('sendingLocks')
    .values({ projectId, mailboxId, lockedAt: new Date(), reason: 'refused', countsFrom: new Date(0) })
    .execute();
  const to = provider(() => TAKEN);
  await deliver(to);
  assert.deepEqual(
    to.sent.map(({ rcptTo }) => rcptTo),
    ['c@dst.test'],
  );
  const rows = await sql<{ outcome: string; reason: string; noticeDue: boolean }>`
    select outcome, detail ->> 'reason' as reason, notice_due from submission_recipients
    where submission_id = ${locked.submissionId}`.execute(db.database);
  assert.deepEqual(rows.rows, [{ outcome: 'failed', reason: 'locked', noticeDue: true }]);
});

test('a message is abandoned after five worker crashes, and its sender gets a notice', async () => {
  await insertSubmissions(db.database, [submission()]);
  const onAbandoned = recordAbandoned(pino({ enabled: false }));
  for (let crash = 0; crash < 5; crash++) {
    const lease = await Lease.begin(db.database, newUuid(), 'test');
    lease.stop();
    await setDue(db.database, '0');
    const rows = await claimRows(db.database, lease.leaseId, 10);
    if (rows.length === 0) await sql`update queue set lease_id = ${lease.leaseId}`.execute(db.database);
    await sql`update queue set in_flight = true where lease_id = ${lease.leaseId}`.execute(db.database);
    await endLease(db.database, lease.leaseId, 'dead', onAbandoned);
  }
  const [row] = await recipients();
  assert.deepEqual(
    [row?.outcome, (row?.detail as { reason?: string } | null)?.reason, row?.noticeDue],
    ['failed', 'internal', true],
  );
  assert.equal(await hasWork(db.database), false);
});

test('mail that is withdrawn after a restore fails, and its sender gets a notice', async () => {
  await insertSubmissions(db.database, [submission()]);
  assert.equal((await withdrawOlder(db.database, new Date(Date.now() + 60_000))).withdrawn, 1);
  const [row] = await recipients();
  assert.deepEqual(
    [row?.outcome, (row?.detail as { reason?: string } | null)?.reason, row?.noticeDue],
    ['failed', 'withdrawn', true],
  );
});
