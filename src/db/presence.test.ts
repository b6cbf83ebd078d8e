// Runs in its own process: it changes the clock.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { showProcess } from '../../test/support/process-rows.ts';
import { newUuid } from '../model/ids.ts';
import { openDatabase } from './database.ts';
import { forgetProcesses, Presence, type PresenceOptions, setClockFromDatabase } from './presence.ts';
import { SharedStatements, type StatementPart } from './shared-statements.ts';

const PATIENCE_MS = 5_000;
const HOUR_MS = 3_600_000;
const SHORT = { beatMs: 20, expiryMs: 1_000 };
let db: TestDatabase;

before(async () => {
  db = await testDatabase();
});
beforeEach(() => forgetProcesses(db.database));
after(() => db[Symbol.asyncDispose]());

function begin(options: Partial<PresenceOptions> = {}): Promise<Presence> {
  return Presence.begin({
    database: db.database,
    processId: newUuid(),
    name: 'worker-1',
    roles: ['worker'],
    deadIds: [],
    connections: () => 11,
    logger: pino({ level: 'silent' }),
    timings: SHORT,
    ...options,
  });
}

const countsFor = (presence: Presence, role = 'worker') => presence.shareOf(role).count;

async function rows(): Promise<string[]> {
  const found = await db.database.selectFrom('processes').select('id').execute();
  return found.map(({ id }) => id);
}

test('processes with the same role share its limits, each with a different index', async () => {
  await using one = await begin();
  await using two = await begin({ roles: ['http', 'worker'] });
  await using three = await begin({ roles: ['http', 'smtp'] });
  assert.ok(await eventually(async () => countsFor(one) === 2 && countsFor(two, 'http') === 2, PATIENCE_MS));
  assert.deepEqual([one, two].map((each) => each.shareOf('worker').index).toSorted(), [0, 1]);
  assert.deepEqual([two, three].map((each) => each.shareOf('http').index).toSorted(), [0, 1]);
});

test('stopping a process releases its share at once', async () => {
  await using one = await begin();
  let changes = 0;
  one.onChange(() => (changes += 1));
  const two = await begin();
  assert.ok(await eventually(async () => countsFor(one) === 2, PATIENCE_MS));
  await two[Symbol.asyncDispose]();
  assert.equal((await rows()).length, 1);
  assert.ok(await eventually(async () => countsFor(one) === 1, PATIENCE_MS));
  assert.equal(changes, 2);
});

test('a process that died counts until its heartbeat is too old, and its row stays for a day', async () => {
  const [dead, older] = [newUuid(), newUuid()];
  await showProcess(db.database, { id: older, silentMs: 25 * HOUR_MS });
  await using one = await begin();
  await showProcess(db.database, { id: dead, version: '0.1.0' });
  assert.ok(await eventually(async () => countsFor(one) === 2, PATIENCE_MS));
  assert.ok(await eventually(async () => countsFor(one) === 1, PATIENCE_MS));
  const found = await rows();
  assert.ok(found.includes(dead) && !found.includes(older));
});

test('a process replaces the row of a dead process with its name on its machine, and no other row', async () => {
  const gone = { silentMs: HOUR_MS, name: 'worker-1', host: hostname() };
  const replaced = await showProcess(db.database, gone);
  const others = [
    await showProcess(db.database, { ...gone, name: 'worker-2' }),
    await showProcess(db.database, { ...gone, host: 'other' }),
    await showProcess(db.database, { ...gone, silentMs: 0 }),
  ];
  const processId = newUuid();
  const later = await showProcess(db.database, gone);
  await using _ = await begin({ processId });
  assert.deepEqual((await rows()).toSorted(), [...others, processId, later].toSorted());
  assert.ok(![...others, later].includes(replaced));
});

test('the newest of very many dead processes are kept', async () => {
  for (let at = 1; at <= 510; at += 1) await showProcess(db.database, { silentMs: at * 60_000 });
  await using _ = await begin();
  assert.ok(await eventually(async () => (await rows()).length === 501, PATIENCE_MS));
});

test('a process knows the last heartbeat of each role, also after the last process with the role has stopped', async () => {
  await using one = await begin({ roles: ['http'] });
  assert.equal(one.lastHeartbeat('worker'), null);
  const two = await begin();
  assert.ok(await eventually(() => one.lastHeartbeat('worker') !== null, PATIENCE_MS));
  await two[Symbol.asyncDispose]();
  const { heartbeatAt } = await db.database
    .selectFrom('processes')
    .select('heartbeatAt')
    .executeTakeFirstOrThrow();
  assert.ok(await eventually(() => countsFor(one) === 1, PATIENCE_MS));
  const last = one.lastHeartbeat('worker')?.getTime() ?? 0;
  assert.ok(Math.abs(last - heartbeatAt.getTime()) < 60_000);
});

test('a process whose death the supervisor reported never counts', async () => {
  const dead = newUuid();
  await showProcess(db.database, { id: dead, version: '0.1.0' });
  await using one = await begin({ deadIds: [dead] });
  assert.equal(countsFor(one), 1);
  assert.ok(await eventually(async () => (await rows()).length === 1, PATIENCE_MS));
});

test('the first process to reconnect logs the outage once and does not take the share of other processes', async () => {
  const [processId, other] = [newUuid(), newUuid()];
  const logged: string[] = [];
  const logger = pino(
    {},
    { write: (line: string) => logged.push((JSON.parse(line) as { msg: string }).msg) },
  );
  await using one = await begin({ processId, logger });
  const isOld = sql<boolean>`heartbeat_at < now() - ${SHORT.expiryMs} * interval '1 millisecond'`;
  const hasOldBeat = async () =>
    (await sql`select from processes where id = ${processId} and ${isOld}`.execute(db.database)).rows
      .length === 1;
  await showProcess(db.database, { id: other, version: '0.1.0' });
  assert.ok(await eventually(async () => countsFor(one) === 2, PATIENCE_MS));
  await db.database.transaction().execute(async (tx) => {
    // This lock blocks all heartbeats.
    await sql`lock table processes in share row exclusive mode`.execute(tx);
    assert.ok(await eventually(async () => logged.length === 1 && (await hasOldBeat()), PATIENCE_MS));
    await sql`update processes set heartbeat_at = now() - interval '1 hour' where id = ${other}`.execute(tx);
  });
  assert.ok(await eventually(async () => !(await hasOldBeat()), PATIENCE_MS));
  assert.equal(countsFor(one), 2);
  assert.ok(await eventually(async () => logged.length === 2, PATIENCE_MS));
  assert.deepEqual(logged, ['the database connection was lost', 'the database connection was restored']);
  assert.ok(await eventually(async () => countsFor(one) === 1, PATIENCE_MS));
});

test('a process whose row was deleted inserts the row again', async () => {
  const processId = newUuid();
  await using one = await begin({ processId });
  await forgetProcesses(db.database);
  assert.ok(await eventually(async () => (await rows()).includes(processId), PATIENCE_MS));
  assert.equal(countsFor(one), 1);
});

test('a process that has stopped stays deleted, even if a late statement inserts its row again', async () => {
  const shared = new SharedStatements(db.database, { timings: { aloneAfterMs: 20, apartMs: 0 } });
  const processId = newUuid();
  const one = await begin({ processId, shared, timings: { beatMs: 300, expiryMs: 1_000 } });
  const blocked: StatementPart = {
    ctes: (name) => sql`${name} as (select count(*) as value from webhook_replays)`,
    value: (name) => sql`(select to_json(value) from ${name})`,
  };
  const hasRow = async () => (await rows()).includes(processId);
  let stopped: Promise<void> = Promise.resolve();
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table webhook_replays in access exclusive mode`.execute(tx);
    await forgetProcesses(db.database);
    void shared.run(blocked, HOUR_MS).catch(() => {});
    // The next heartbeat shares a statement with the blocked part. That statement hangs, so the heartbeat
    // also runs alone, and inserts the row.
    assert.ok(await eventually(hasRow, PATIENCE_MS));
    stopped = one[Symbol.asyncDispose]();
    assert.ok(await eventually(async () => !(await hasRow()), PATIENCE_MS));
  });
  await stopped;
  await shared.settled();
  assert.ok(await eventually(async () => !(await hasRow()), PATIENCE_MS));
});

test('a process that starts while the database is unavailable counts only itself', async () => {
  const database = openDatabase('postgres://nobody@127.0.0.1:1/none');
  {
    const lines: string[] = [];
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    await using one = await begin({ database, logger });
    assert.deepEqual(one.shareOf('worker'), { index: 0, count: 1 });
    assert.match(
      lines.join(''),
      /"reason":"The database cannot be reached\.","msg":"the database connection was lost"/,
    );
  }
  await database.destroy();
});

test('a wrong clock and its correction are logged once each, and a very wrong clock makes the machine not ready', async (t) => {
  const lines: { msg: string; aheadMs: number }[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  await setClockFromDatabase(db.database);
  await using one = await begin({ logger });
  assert.equal(one.whyNotReady(), null);
  const wallMs = Date.now.bind(Date);
  const wrong = t.mock.method(Date, 'now', () => wallMs() + 300_000);
  assert.ok(await eventually(async () => lines.length === 1, PATIENCE_MS));
  assert.equal(one.whyNotReady(), "The clock of this machine is 300 seconds ahead of the database's.");
  const { clockAheadMs } = await db.database
    .selectFrom('processes')
    .select('clockAheadMs')
    .executeTakeFirstOrThrow();
  assert.ok(Math.abs(clockAheadMs - 300_000) < 1_000);
  wrong.mock.mockImplementation(() => wallMs() - 29_000);
  assert.ok(await eventually(async () => one.whyNotReady() === null, PATIENCE_MS));
  wrong.mock.restore();
  assert.ok(await eventually(async () => lines.length === 2, PATIENCE_MS));
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['the clock of this machine is wrong', 'the clock of this machine is right again'],
  );
});

test('unseenMs returns how long no older process has been seen', async () => {
  const older = newUuid();
  const inAnHourMs = -3_600_000;
  await showProcess(db.database, { id: older, version: '0.1.0', silentMs: inAnHourMs });
  await using one = await begin({ version: '0.2.0' });
  assert.ok(await eventually(() => one.unseenMs('0.1.0') > 0, PATIENCE_MS));
  assert.equal(one.unseenMs('0.2.0'), 0);
  await sql`delete from processes where id = ${older}`.execute(db.database);
  assert.ok(await eventually(() => one.unseenMs('0.2.0') > 0, PATIENCE_MS));
});
