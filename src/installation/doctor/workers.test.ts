import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { showProcess } from '../../../test/support/process-rows.ts';
import { emptyQueue, passTime, setStream } from '../../../test/support/queue-rows.ts';
import { forgetProcesses } from '../../db/presence.ts';
import { newUuid } from '../../model/ids.ts';
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

test('the check of workers is ok while no process runs', async () => {
  assertFinding(await checkWorkers(world()), 'ok', /^No process of Posthorn is running\.$/);
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
    const { verdict: found, seen } = await checkQueue(world());
    assert.equal(found, verdict, seen);
  });

test('mail that is scheduled, parked or claimed does not wait for a worker', async () => {
  await queueEmails(db.database, 3);
  await passTime(db.database, '1 hour');
  await sql`
    update queue set next_attempt_at = case recipient_number when 1 then now() + interval '1 hour' when 2 then 'infinity' else next_attempt_at end,
      destination = case recipient_number when 2 then 'dst.test' end, lease_id = case recipient_number when 3 then ${newUuid()}::uuid end
    from (select email_id as id, row_number() over () as recipient_number from queue) numbered where email_id = id`.execute(
    db.database,
  );
  assert.equal((await checkQueue(world())).verdict, 'ok');
});
