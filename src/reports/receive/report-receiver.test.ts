import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import pino from 'pino';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { detailOf, newEvent } from '../../../test/support/events.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from '../../db/database.ts';
import type { EmailStage, TimelineType } from '../../model/email-status.ts';
import { ERASED } from '../../model/erased.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { recordEvents } from '../../sending/events/record-events.ts';
import { getEmail } from '../../sending/read/get-email.ts';
import { ReturnPaths } from '../return-path.ts';
import { Suppressions } from '../../sending/suppress/suppressions.ts';
import { type Addressee, ReportReceiver } from './report-receiver.ts';
import { complaint, dsn, VACATION } from './reports.fixture.ts';

const DOMAIN = 'send.posthorn.localhost';
const RECIPIENTS = ['b@dst.test', 'c@dst.test'];
const returnPaths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));
const logger = pino({ level: 'silent' });

let db: TestDatabase;
let receiver: ReportReceiver;
let suppressions: Suppressions;
let wakes = 0;
before(async () => {
  db = await testDatabase();
  receiver = receiverOf(db);
  suppressions = new Suppressions(db.database);
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await db.database.deleteFrom('suppressions').execute();
  wakes = 0;
});

function receiverOf({ database }: Pick<TestDatabase, 'database'>): ReportReceiver {
  return new ReportReceiver({
    database,
    returnPaths,
    logger,
    onEvents: () => {
      wakes += 1;
    },
  });
}

/** Creates an email with these events. Recipient events are for the first recipient. */
async function email(...types: TimelineType[]): Promise<string> {
  const stored = newEmail({ to: RECIPIENTS, recipients: RECIPIENTS });
  await insertEmails(db.database, [stored]);
  for (const type of types) await record(stored.emailId, type);
  return stored.emailId;
}

function record(emailId: string, type: TimelineType): Promise<void> {
  const whole = type === 'sending' || type === 'sent';
  const event = newEvent(type, whole ? null : 0, whole ? null : 'b@dst.test');
  return db.database
    .transaction()
    .execute((tx) => recordEvents(tx, [{ projectId: PROJECT, emailId, events: [event] }]));
}

const pathOf = (emailId: string, recipientIndex = 0) =>
  returnPaths.mint({ projectId: PROJECT, emailId, recipientIndex }, DOMAIN);

function to(...addresses: string[]): Addressee[] {
  return addresses.map((address) => {
    const addressee = receiver.addresseeOf(address);
    assert.ok(addressee !== null, address);
    return addressee;
  });
}

async function timeline(emailId: string) {
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.ok(detail);
  return { status: detail.status, types: detail.events.map(({ type }) => type), last: detail.events.at(-1) };
}

const listed = async () =>
  (await suppressions.list(PROJECT, { limit: 10 })).data.map(({ address, reason }) => [address, reason]);

describe('a delivery report', () => {
  test('for an erased recipient does not restore their data', async () => {
    const id = await email('sending', 'sent');
    await db.database
      .updateTable('emailRecipients')
      .set({ address: ERASED })
      .where('emailId', '=', id)
      .where('recipientIndex', '=', 0)
      .execute();
    const before = await timeline(id);
    await receiver.receive(to(pathOf(id)), dsn());
    assert.deepEqual(await timeline(id), before);
    assert.deepEqual(await listed(), []);
  });

  test('of an unknown user is a bounce, and the address is suppressed', async () => {
    const emailId = await email('sending', 'sent');
    await receiver.receive(to(pathOf(emailId)), dsn());
    const { status, last } = await timeline(emailId);
    assert.equal(status, 'bounced');
    assert.deepEqual(last?.detail, {
      recipient: 'b@dst.test',
      type: 'hard',
      category: 'unknown_user',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '550 5.1.1 <b@dst.test>: Recipient address rejected: User unknown',
      remote_mta: 'mx.dst.test',
      suppressed: true,
      source: 'dsn',
    });
    assert.deepEqual(await listed(), [['b@dst.test', 'bounce']]);
    assert.equal(wakes, 1);
    const entry = await suppressions.find(PROJECT, 'b@dst.test');
    assert.equal(entry?.email_id, encodeId('em', emailId));
  });

  test('of a full mailbox is a soft bounce without suppression', async () => {
    const emailId = await email('sending', 'sent');
    await receiver.receive(
      to(pathOf(emailId)),
      dsn({ status: '5.2.2', diagnostic: '552 5.2.2 mailbox full' }),
    );
    const { status, last } = await timeline(emailId);
    assert.equal(status, 'bounced');
    assert.partialDeepStrictEqual(last?.detail, {
      type: 'soft',
      category: 'mailbox_full',
      suppressed: false,
    });
    assert.deepEqual(await listed(), []);
  });

  const FULL = dsn({ status: '4.2.2', diagnostic: '452 4.2.2 mailbox full' });

  test('of an unknown user after a soft bounce is a second bounce, and suppresses the address', async () => {
    const emailId = await email('sending', 'sent');
    for (const report of [FULL, dsn(), dsn(), FULL]) await receiver.receive(to(pathOf(emailId)), report);
    const { status, types, last } = await timeline(emailId);
    assert.equal(status, 'bounced');
    assert.deepEqual(types, ['queued', 'sending', 'sent', 'bounced', 'bounced']);
    assert.partialDeepStrictEqual(last?.detail, { type: 'hard', suppressed: true });
    assert.deepEqual(await listed(), [['b@dst.test', 'bounce']]);
  });

  test('that suppresses nothing is not recorded after a bounce', async () => {
    const emailId = await email('sending', 'sent');
    for (const report of [FULL, FULL, dsn({ status: '5.2.2', diagnostic: '552 5.2.2 mailbox full' })])
      await receiver.receive(to(pathOf(emailId)), report);
    assert.deepEqual((await timeline(emailId)).types, ['queued', 'sending', 'sent', 'bounced']);
    assert.deepEqual(await listed(), []);
  });

  test('after `delivered` is still a bounce', async () => {
    const emailId = await email('sending', 'sent', 'delivered');
    await receiver.receive(to(pathOf(emailId)), dsn());
    assert.equal((await timeline(emailId)).status, 'bounced');
  });

  test('that arrives twice or several times at once is recorded once', async () => {
    const emailId = await email('sending', 'sent');
    const addressees = to(pathOf(emailId));
    await Promise.all(Array.from({ length: 4 }, () => receiver.receive(addressees, dsn())));
    await receiver.receive(addressees, dsn());
    assert.deepEqual((await timeline(emailId)).types, ['queued', 'sending', 'sent', 'bounced']);
    assert.equal(wakes, 1);
  });

  test('affects the recipient that the return path identifies, even if the report names another recipient', async () => {
    const emailId = await email('sending', 'sent');
    await receiver.receive(to(pathOf(emailId, 1)), dsn({ recipient: 'b@dst.test' }));
    const { last } = await timeline(emailId);
    assert.equal(last?.recipient, 'c@dst.test');
    // The report names another address, so the address of this recipient is not suppressed.
    assert.partialDeepStrictEqual(last?.detail, { category: 'unknown_user', suppressed: false });
    assert.deepEqual(await listed(), []);
  });

  test('that names no recipient affects the recipient that the return path identifies', async () => {
    const emailId = await email('sending', 'sent');
    await receiver.receive(
      to(pathOf(emailId)),
      dsn({ recipient: null, diagnostic: '550 5.1.1 User unknown' }),
    );
    assert.deepEqual(await listed(), [['b@dst.test', 'bounce']]);
  });

  test('of a forwarder is ignored if some of its addresses got the message and others did not', async () => {
    const emailId = await email('sending', 'sent');
    const others = [{ recipient: 'z@other.test', action: 'relayed' }];
    await receiver.receive(to(pathOf(emailId)), dsn({ recipient: 'y@other.test', others }));
    assert.equal((await timeline(emailId)).status, 'sent');
  });

  test('on several recipients uses the status of the recipient that the return path identifies', async () => {
    const emailId = await email('sending', 'sent');
    const others = [{ recipient: 'B@dst.test', action: 'relayed' }];
    await receiver.receive(to(pathOf(emailId)), dsn({ recipient: 'other@dst.test', others }));
    assert.equal((await timeline(emailId)).last?.type, 'delivered');
  });

  test('of a delay is on the timeline once, and a timeline has at most five delays', async () => {
    const emailId = await email('sending', 'sent');
    const addressees = to(pathOf(emailId));
    const delayed = (minutes: number) =>
      dsn({ action: 'delayed', status: '4.4.1', diagnostic: `451 4.4.1 away for ${minutes} minutes` });
    for (const minutes of [1, 1, 2, 3, 4, 5, 6, 7]) await receiver.receive(addressees, delayed(minutes));
    const { status, types, last } = await timeline(emailId);
    assert.equal(status, 'sent');
    assert.equal(types.filter((type) => type === 'deferred').length, 5);
    assert.partialDeepStrictEqual(last?.detail, { source: 'dsn', response: '451 4.4.1 away for 5 minutes' });
  });

  test('of a delivery is recorded unless the delivery was already known', async () => {
    const fresh = await email('sending', 'sent');
    const known = await email('sending', 'sent', 'delivered');
    const opened = await email('sending', 'sent', 'opened');
    const report = dsn({ action: 'relayed', status: '2.0.0', diagnostic: '250 2.0.0 ok' });
    for (const emailId of [fresh, known, opened]) await receiver.receive(to(pathOf(emailId)), report);
    assert.deepEqual((await timeline(fresh)).types, ['queued', 'sending', 'sent', 'delivered']);
    assert.deepEqual((await timeline(known)).types, ['queued', 'sending', 'sent', 'delivered']);
    assert.deepEqual((await timeline(opened)).types, ['queued', 'sending', 'sent', 'opened']);
  });

  test('with control characters is stored with these characters replaced', async () => {
    const emailId = await email('sending', 'sent');
    const remoteMta = `mx\0\x1b[31m\u202e${'\u{1f4ec}'.repeat(3_000)}`;
    const delayed = dsn({ action: 'delayed', status: '4.4.1', diagnostic: '451 4.4.1 away', remoteMta });
    await receiver.receive(to(pathOf(emailId)), delayed);
    // A repeated report is recognized by comparing it with the stored report.
    await receiver.receive(to(pathOf(emailId)), delayed);
    const { types, last } = await timeline(emailId);
    assert.deepEqual(types, ['queued', 'sending', 'sent', 'deferred']);
    const stored = String(detailOf(last)?.['remote_mta']);
    assert.ok(stored.startsWith('mx??[31m?') && stored.length <= 255 && stored.isWellFormed(), stored);
  });

  test('of an email that was never sent changes nothing', async () => {
    const emailId = await email();
    await receiver.receive(to(pathOf(emailId)), dsn());
    assert.deepEqual((await timeline(emailId)).types, ['queued']);
    assert.deepEqual(await listed(), []);
  });

  test('does not hide a complaint', async () => {
    const emailId = await email('sending', 'sent', 'complained');
    await receiver.receive(to(pathOf(emailId)), dsn());
    assert.equal((await timeline(emailId)).last?.type, 'complained');
  });

  test('of a deleted email, recipient or project changes nothing', async () => {
    const emailId = await email('sending', 'sent');
    const paths = [
      pathOf(newUuid()),
      pathOf(emailId, 2),
      returnPaths.mint({ projectId: newUuid(), emailId, recipientIndex: 0 }, DOMAIN),
    ];
    await receiver.receive(to(...paths), dsn());
    assert.equal((await timeline(emailId)).status, 'sent');
    assert.equal(wakes, 0);
  });

  test('to several return paths is recorded for each', async () => {
    const [one, two] = [await email('sending', 'sent'), await email('sending', 'sent')];
    await receiver.receive(to(pathOf(one), pathOf(two), pathOf(one)), dsn());
    for (const emailId of [one, two])
      assert.deepEqual((await timeline(emailId)).types, ['queued', 'sending', 'sent', 'bounced']);
  });
});

test('a message that is not a report is dropped', async () => {
  const emailId = await email('sending', 'sent');
  for (const raw of [VACATION, Buffer.alloc(0), Buffer.from('\r\n\r\n'), Buffer.alloc(5_000, 0xff)])
    await receiver.receive(to(pathOf(emailId)), raw);
  assert.equal((await timeline(emailId)).status, 'sent');
});

describe('a complaint', () => {
  const address = returnPaths.complaintAddress(DOMAIN);

  test('to a return path is recorded, and suppresses the address', async () => {
    const emailId = await email('sending', 'sent', 'delivered');
    await receiver.receive(to(pathOf(emailId)), complaint());
    const { status, last } = await timeline(emailId);
    assert.equal(status, 'complained');
    assert.deepEqual(last?.detail, {
      recipient: 'b@dst.test',
      feedback_type: 'abuse',
      reporting_mta: 'mx.provider.test',
    });
    assert.deepEqual(await listed(), [['b@dst.test', 'complaint']]);
  });

  test('that arrives twice is recorded once', async () => {
    const emailId = await email('sending', 'sent', 'delivered');
    for (let time = 0; time < 2; time++) await receiver.receive(to(pathOf(emailId)), complaint());
    assert.equal((await timeline(emailId)).types.filter((type) => type === 'complained').length, 1);
  });

  test('of the type not-spam is ignored', async () => {
    const emailId = await email('sending', 'sent', 'delivered');
    await receiver.receive(to(pathOf(emailId)), complaint({ feedbackType: 'not-spam' }));
    assert.equal((await timeline(emailId)).types.includes('complained'), false);
  });

  const stages: EmailStage[] = ['delivered', 'bounced', 'failed'];
  for (const stage of stages) {
    test(`changes the status from ${stage} to complained`, async () => {
      const emailId = await email('sending', 'sent', stage);
      await receiver.receive(to(pathOf(emailId)), complaint());
      assert.equal((await timeline(emailId)).status, 'complained');
    });
  }

  const references: [name: string, report: (emailId: string) => Buffer, recipient: string | null][] = [
    [
      'the envelope',
      (emailId) => complaint({ originalMailFrom: pathOf(emailId, 1), originalRcptTo: 'b@dst.test' }),
      'c@dst.test',
    ],
    [
      'the Return-Path field',
      (emailId) => complaint({ header: [`Return-Path: <${pathOf(emailId, 1)}>`] }),
      'c@dst.test',
    ],
    [
      'the reference in the header, and the named recipient',
      (emailId) =>
        complaint({
          originalRcptTo: 'C@dst.test',
          header: [
            `X-Posthorn-Return: ${returnPaths.mintReference({ projectId: PROJECT, emailId }, DOMAIN)}`,
          ],
        }),
      'c@dst.test',
    ],
    [
      'the reference in the header, but no recipient',
      (emailId) =>
        complaint({
          header: [
            `X-Posthorn-Return: ${returnPaths.mintReference({ projectId: PROJECT, emailId }, DOMAIN)}`,
          ],
        }),
      null,
    ],
    ['nothing', () => complaint({ originalRcptTo: 'b@dst.test' }), null],
    [
      'a return path with a changed character',
      (emailId) => complaint({ originalMailFrom: pathOf(emailId).replace('@send', '@send.x') }),
      null,
    ],
    [
      'another address that is no return path',
      (emailId) => complaint({ originalMailFrom: `bounces+${emailId}@${DOMAIN}` }),
      null,
    ],
    ['a return path quoted in its text', (emailId) => complaint({ text: `> ${pathOf(emailId)}` }), null],
  ];
  for (const [name, report, recipient] of references) {
    test(`of a feedback loop with ${name} affects ${recipient ?? 'no recipient'}`, async () => {
      const emailId = await email('sending', 'sent', 'delivered');
      await receiver.receive(to(address), report(emailId));
      const { last } = await timeline(emailId);
      assert.equal(last?.type === 'complained' ? last.recipient : null, recipient);
    });
  }

  test('of a feedback loop with the reference in the header affects the only recipient', async () => {
    const stored = newEmail();
    await insertEmails(db.database, [stored]);
    await record(stored.emailId, 'sent');
    const reference = returnPaths.mintReference({ projectId: PROJECT, emailId: stored.emailId }, DOMAIN);
    await receiver.receive(to(address), complaint({ header: [`X-Posthorn-Return: ${reference}`] }));
    assert.equal((await timeline(stored.emailId)).status, 'complained');
  });

  test('address does not accept delivery reports', async () => {
    const emailId = await email('sending', 'sent');
    await receiver.receive(to(address), dsn({ diagnostic: `550 5.1.1 ${pathOf(emailId)}` }));
    assert.equal((await timeline(emailId)).status, 'sent');
  });
});

test('a report that cannot be committed is not accepted', async () => {
  const emailId = await email('sending', 'sent');
  const away = openDatabase('postgres://nobody@127.0.0.1:1/none');
  await assert.rejects(receiverOf({ database: away }).receive(to(pathOf(emailId)), dsn()));
  await away.destroy();
});

test('only the beginning of a very large message is read, without blocking for long', async () => {
  const emailId = await email('sending', 'sent');
  await receiver.receive(to(pathOf(emailId)), Buffer.concat([dsn(), Buffer.alloc(39 * 1_048_576, 'x\r\n')]));
  assert.equal((await timeline(emailId)).status, 'bounced');
  const nested = Array.from(
    { length: 10 },
    (_, at) => `Content-Type: multipart/report; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  ).join('');
  const hostile = Buffer.concat([Buffer.from(nested), Buffer.alloc(39 * 1_048_576, '-')]);
  const usedMs = processorClock();
  await receiver.receive(to(pathOf(newUuid())), hostile);
  assert.ok(usedMs() < 400, `${usedMs()} ms`);
});

test('the event loop runs between two reports that arrive at the same time', async () => {
  const addressees = to(pathOf(newUuid()));
  // The first report loads the modules that read reports.
  await receiver.receive(addressees, VACATION);
  let tick = 0;
  let counting = setImmediate(function count() {
    tick += 1;
    counting = setImmediate(count);
  });
  const ticks = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await receiver.receive(addressees, VACATION);
      return tick;
    }),
  );
  clearImmediate(counting);
  assert.equal(new Set(ticks).size, 5);
});

test('only return paths and complaint addresses of this installation are accepted', () => {
  const other = new ReturnPaths(createSecretKey(Buffer.alloc(32, 9)));
  const row = { projectId: PROJECT, emailId: newUuid(), recipientIndex: 0 };
  for (const address of [
    'postmaster',
    `postmaster@${DOMAIN}`,
    other.mint(row, DOMAIN),
    other.complaintAddress(DOMAIN),
    returnPaths.mintReference(row, DOMAIN),
    returnPaths.mint(row, DOMAIN).replace(DOMAIN, 'send.other.test'),
  ])
    assert.equal(receiver.addresseeOf(address), null, address);
});
