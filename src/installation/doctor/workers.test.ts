import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { showProcess } from '../../../test/support/process-rows.ts';
import { emptyQueue, passTime, setStream } from '../../../test/support/queue-rows.ts';
import { forgetProcesses } from '../../db/presence.ts';
import { newUuid } from '../../model/ids.ts';
import { readDueMail } from '../../queue/due-rows.ts';
import { Lease } from '../../queue/lease.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkQueue, checkWorkers } from './workers.ts';
import { worldWith } from './world.fixture.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetProcesses(db.database);
  await emptyQueue(db.database);
});

const world = () => worldWith('127.0.0.1:53', { database: { opened: db.database } });

async function showWorker(silentMs: number): Promise<void> {
  const processId = await showProcess(db.database, { name: 'worker-1', host: 'one', silentMs });
  const lease = await Lease.begin(db.database, newUuid(), 'worker-1', { processId });
  lease.stop();
}

test('the check of workers is ok as long as one worker responds', async () => {
  await showWorker(0);
  await showWorker(60_000);
  assertFinding(await checkWorkers(world()), 'ok', /^1 worker is running\.$/);
});

test('a worker that does not respond is a problem if there is no other one', async () => {
  await showProcess(db.database, { role: 'http' });
  assertFinding(
    await checkWorkers(world()),
    'problem',
    /^No worker is running, so no mail is sent\.$/,
    /POSTHORN_ROLES/,
  );
  await showWorker(60_000);
  assertFinding(
    await checkWorkers(world()),
    'problem',
    /No worker is running.* worker-1 on one has not responded since 20\d\d-/,
    /restart/,
  );
});

test('a worker whose process lives but whose lease is old does not count', async () => {
  await showWorker(0);
  await sql`update leases set heartbeat_at = now() - interval '20 seconds'`.execute(db.database);
  assert.equal((await checkWorkers(world())).verdict, 'problem');
});

test('both checks are ok while no process runs, although mail waits', async () => {
  await showProcess(db.database, { silentMs: 60_000 });
  await queueEmails(db.database, 2);
  await passTime(db.database, '1 hour');
  for (const check of [checkWorkers, checkQueue])
    assertFinding(await check(world()), 'ok', /^No process of Posthorn is running\.$/);
});

for (const setting of ['sending_paused', 'provider_away_since'])
  test(`both checks leave it to the check "sending" while ${setting} is set, because workers then end their leases`, async () => {
    await showProcess(db.database);
    await queueEmails(db.database, 2);
    await passTime(db.database, '1 hour');
    const verdicts = async () =>
      Promise.all([checkWorkers, checkQueue].map(async (check) => (await check(world())).verdict));
    assert.deepEqual(await verdicts(), ['problem', 'problem']);
    await db.database
      .insertInto('settings')
      .values({ name: setting, value: `${new Date().toISOString()} asked` })
      .execute();
    try {
      for (const check of [checkWorkers, checkQueue])
        assertFinding(await check(world()), 'ok', /see the check "sending"/);
    } finally {
      await db.database.deleteFrom('settings').where('name', '=', setting).execute();
    }
  });

test('a worker counts once, and not under a lease that is being retired', async () => {
  const processId = await showProcess(db.database);
  const begin = () => Lease.begin(db.database, newUuid(), 'worker-1', { processId });
  (await begin()).stop();
  (await begin()).stop();
  assertFinding(await checkWorkers(world()), 'ok', /^1 worker is running\.$/);
  await sql`update leases set is_closed = true`.execute(db.database);
  assert.equal((await checkWorkers(world())).verdict, 'problem');
});

test('both checks are a problem without the database', async () => {
  for (const check of [checkWorkers, checkQueue])
    assertFinding(
      await check(worldWith('127.0.0.1:53')),
      'problem',
      /without the database/,
      /check "database"/,
    );
});

for (const [stream, waited, verdict] of [
  ['transactional', '50 seconds', 'ok'],
  ['transactional', '2 minutes', 'warning'],
  ['transactional', '16 minutes', 'problem'],
  ['bulk', '14 minutes', 'ok'],
  ['bulk', '16 minutes', 'problem'],
] as const)
  test(`${stream} mail that was due ${waited} ago is ${verdict}`, async () => {
    await queueEmails(db.database, 2);
    await setStream(db.database, stream);
    await passTime(db.database, waited);
    await showWorker(0);
    const { verdict: found, seen } = await checkQueue(world());
    assert.equal(found, verdict, seen);
  });

/** Leases rows whose number is not above `count`, in the order of their due times. */
async function claim(count: number, isInFlight: boolean): Promise<void> {
  await sql`
    update queue r set lease_id = ${newUuid()}, in_flight = ${isInFlight}
    from (select email_id, row_number() over (order by next_attempt_at, email_id) as number from queue) k
    where k.email_id = r.email_id and k.number <= ${count}`.execute(db.database);
}

test('mail that is scheduled, parked or in flight does not wait for a worker', async () => {
  await showWorker(0);
  await queueEmails(db.database, 3);
  await passTime(db.database, '1 hour');
  await claim(1, true);
  await sql`
    update queue set next_attempt_at = case number when 1 then now() + interval '1 hour' else 'infinity' end,
      destination = case number when 2 then 'dst.test' end
    from (select email_id as id, row_number() over () as number from queue where lease_id is null) numbered where email_id = id`.execute(
    db.database,
  );
  assert.equal((await checkQueue(world())).verdict, 'ok');
});

for (const [waited, verdict] of [
  ['14 minutes', 'ok'],
  ['16 minutes', 'problem'],
] as const)
  test(`mail that a worker has claimed but not begun for ${waited} is ${verdict}`, async () => {
    await showWorker(0);
    await queueEmails(db.database, 2);
    await passTime(db.database, waited);
    await claim(2, false);
    assert.equal((await checkQueue(world())).verdict, verdict);
  });

test('mail waits for a worker also behind more than a thousand rows that are claimed', async () => {
  await showWorker(0);
  await queueEmails(db.database, 1_200);
  await passTime(db.database, '5 minutes');
  await claim(1_199, false);
  assert.equal((await checkQueue(world())).verdict, 'warning');
  const [{ projectId } = assert.fail()] = await db.database
    .selectFrom('queue')
    .select('projectId')
    .limit(1)
    .execute();
  assert.notEqual((await readDueMail(db.database, projectId)).delayedSince, null);
});
