import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import type { EventDetail } from '../../contract/events.ts';
import { queueEmailWith } from '../../../test/support/emails.ts';
import { emptyQueue } from '../../../test/support/queue-rows.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid, timeOf } from '../../model/ids.ts';
import { recordEvents } from '../../sending/events/record-events.ts';
import { claimDue } from '../../queue/claim.ts';
import { closeDestination } from '../../queue/destinations.ts';
import { pauseDestination } from '../../queue/paused-destinations.ts';
import { Lease } from '../../queue/lease.ts';
import { changeProviderKind, type ProviderKind } from '../../queue/provider-kind.ts';
import { readQueue } from './queue-list.ts';
import { tryNow } from './queue-commands.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  await sql`truncate destination_holds`.execute(db.database);
  await sql`delete from settings where name like 'provider_%'`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

interface Waiting {
  address: string;
  destination?: string;
  inFlight?: boolean;
  attempts?: number;
  due?: string;
  isLater?: boolean;
}

async function queue({
  address,
  destination,
  inFlight = false,
  attempts = 0,
  due = '-1 second',
  isLater = false,
}: Waiting) {
  const emailId = newUuid();
  await sql`
    insert into queue (project_id, email_id, recipient_index, address, octets, stream, in_flight, attempts, destination, next_attempt_at, scheduled_at)
    values (${newUuid()}, ${emailId}, 0, ${address}, 1, 'transactional', ${inFlight}, ${attempts}, ${destination ?? null},
      ${destination === undefined ? sql`now() + ${due}::interval` : sql`'infinity'`}, ${isLater ? sql`now() + ${due}::interval` : null})`.execute(
    db.database,
  );
  return timeOf(emailId).toISOString();
}

const SAID = { replyCode: 421, enhancedCode: '4.3.2', text: 'go away', remoteMta: 'mx.gmx.test', tls: true };

test('waiting mail is listed by destination with the last reply of its servers, and without recipients', async () => {
  const oldest = await queue({ address: 'ann@gmx.test', destination: 'gmx.test' });
  await queue({ address: 'bob@gmx.test', destination: 'gmx.test from news.example' });
  await queue({ address: 'cleo@open.test', inFlight: true });
  const { emailId, projectId } = await queueEmailWith(db.database, [], {
    recipients: ['dan@open.test'],
    senderAddress: 'news@acme.example',
  });
  const detail: EventDetail<'deferred'> = {
    response: '450 4.2.0 Greylisted: <dan@open.test> of acme.example',
    smtp_code: 450,
    enhanced_code: '4.2.0',
    remote_mta: 'mx.open.test',
  };
  await db.database.transaction().execute((tx) =>
    recordEvents(tx, [
      {
        projectId,
        emailId,
        events: [{ type: 'deferred', recipientIndex: 0, recipient: 'dan@open.test', detail }],
      },
    ]),
  );
  await sql`
    update queue set attempts = 1, next_attempt_at = now() + interval '1 hour' where email_id = ${emailId}`.execute(
    db.database,
  );
  await queue({ address: 'later@open.test', due: '1 hour', isLater: true });
  await closeDestination(db.database, 'gmx.test', 2, 60_000, SAID);
  await closeDestination(db.database, 'gmx.test from news.example', 0, 30_000, { ...SAID, text: 'not you' });
  await pauseDestination(db.database, 'held.test', new Date());
  const read = await readQueue(db.database, {});
  assert.partialDeepStrictEqual(read, {
    waiting: 4,
    in_flight: 1,
    oldest_at: oldest,
    is_longer: false,
    destinations: 3,
  });
  assert.deepEqual(
    read.data.map(({ domain, state, waiting, failures, refused_senders, last_words }) => [
      domain,
      state,
      waiting,
      failures,
      refused_senders,
      last_words?.text ?? null,
    ]),
    [
      ['gmx.test', 'closed', 2, 3, 1, '421 4.3.2 go away'],
      ['open.test', 'open', 2, 0, 0, '450 4.2.0 Greylisted: <***> of ***'],
      ['held.test', 'held', 0, 0, 0, null],
    ],
  );
  assert.ok(!JSON.stringify(read).includes('ann'));
  assert.ok(!JSON.stringify(read).includes('dan'));
  const [, open] = read.data;
  assert.deepEqual([open?.put_off, open?.last_words?.server], [1, 'mx.open.test']);
  assert.ok(Date.parse(open?.next_try_at ?? '') > Date.now() + 50 * 60_000);
  const found = async (query: Parameters<typeof readQueue>[1]) =>
    (await readQueue(db.database, query)).data.map(({ domain }) => domain);
  assert.deepEqual(await found({ q: 'GMX' }), ['gmx.test']);
  assert.deepEqual(await found({ state: 'held' }), ['held.test']);
  assert.deepEqual(await found({ state: 'refusing' }), ['gmx.test']);
});

test('retrying a destination makes mail due that it has deferred, and no other mail', async () => {
  await queue({ address: 'dan@slow.test', attempts: 1, due: '6 hours' });
  await queue({ address: 'eve@SLOW.test', attempts: 2, due: '1 hour' });
  await queue({ address: 'later@slow.test', due: '1 hour', isLater: true });
  await queue({ address: 'fay@other.test', attempts: 1, due: '1 hour' });
  const due = async () => {
    const { rows } = await sql<{ address: string }>`
      select address from queue where next_attempt_at <= now() order by address`.execute(db.database);
    return rows.map(({ address }) => address);
  };
  assert.equal(await tryNow(db.database, 'slow.test'), true);
  assert.deepEqual(await due(), ['dan@slow.test', 'eve@SLOW.test']);
  assert.equal(await tryNow(db.database, 'slow.test'), false);
  await pauseDestination(db.database, 'other.test', new Date());
  await assert.rejects(tryNow(db.database, 'other.test'), /is paused/);
  assert.deepEqual(await due(), ['dan@slow.test', 'eve@SLOW.test']);
});

test('mail for the sandbox is counted separately if the provider is real, and mail for a real provider if it is the sandbox', async () => {
  const accept = async (kind: ProviderKind, address: string) => {
    await db.database.transaction().execute((tx) => changeProviderKind(tx, kind));
    await queueEmailWith(db.database, [], { recipients: [address] });
  };
  await accept('sandbox', 'ann@gmx.test');
  await accept('real', 'bob@gmx.test');
  const lease = await Lease.begin(db.database, newUuid(), 'test', { isSandbox: false });
  lease.stop();
  await claimDue(db.database, lease.leaseId, 10);
  const read = await readQueue(db.database, {});
  assert.deepEqual(read.other_kind, { kind: 'sandbox', waiting: 1 });
  assert.equal(read.waiting, 2);
  assert.deepEqual(
    read.data.map(({ domain, waiting }) => [domain, waiting]),
    [['gmx.test', 1]],
  );
  await db.database.transaction().execute((tx) => changeProviderKind(tx, 'sandbox'));
  assert.deepEqual((await readQueue(db.database, {})).other_kind, { kind: 'real', waiting: 1 });
});

test('ten thousand destinations are read page by page', async () => {
  await sql`
    insert into queue (project_id, email_id, recipient_index, address, octets, stream)
    select ${newUuid()}::uuid, gen_random_uuid(), 0, 'a@d' || n || '.test', 1, 'bulk' from generate_series(1, 10000) n`.execute(
    db.database,
  );
  const startedMs = performance.now();
  const read = await readQueue(db.database, { page: 200 });
  assert.ok(performance.now() - startedMs < 2_000);
  assert.deepEqual([read.destinations, read.pages, read.data.length], [10_000, 200, 50]);
});
