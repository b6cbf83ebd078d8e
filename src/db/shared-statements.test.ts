import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { type Database, openDatabase } from './database.ts';
import { SharedStatements, type StatementPart } from './shared-statements.ts';

/** Longer than any test: a part with this patience is sent only with another part. */
const LONG_MS = 60_000;
let db: TestDatabase;
/** The number of statements that were sent. */
let sent = 0;
let database: Database;

before(async () => {
  db = await testDatabase();
  // Test databases do not wait for the disk.
  await sql`do $$ begin
    execute format('alter database %I set synchronous_commit = on', current_database());
  end $$`.execute(db.database);
  const opened = openDatabase(db.url);
  database = opened.withPlugin({
    transformQuery({ node }) {
      sent += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
});
afterEach(() => {
  sent = 0;
});
after(async () => {
  await database.destroy();
  await db[Symbol.asyncDispose]();
});

const answering = (value: number): StatementPart => ({
  ctes: (name) => sql`${name} as (select ${value}::int4 as value)`,
  value: (name) => sql`(select to_json(value) from ${name})`,
});

const failing: StatementPart = {
  ctes: (name) => sql`${name} as (select 1 / (select count(*) from settings where name = 'none') as value)`,
  value: (name) => sql`(select to_json(value) from ${name})`,
};

test('parts that wait are sent with the next part that does not wait, and each gets its own result', async () => {
  const shared = new SharedStatements(database);
  const waiting = [shared.run<number>(answering(1), LONG_MS), shared.run<number>(answering(2), LONG_MS)];
  const last = await shared.run<number>(answering(3), 0);
  const results = [...(await Promise.all(waiting)), last];
  assert.deepEqual(
    results.map(({ value }) => value),
    [1, 2, 3],
  );
  assert.equal(sent, 1);
});

test('a part without company is sent when its patience ends', async () => {
  const shared = new SharedStatements(database);
  assert.equal((await shared.run<number>(answering(1), 1)).value, 1);
});

test('parts that wait are sent at once by flush', async () => {
  const shared = new SharedStatements(database);
  const waiting = shared.run<number>(answering(1), LONG_MS);
  shared.flush();
  assert.equal((await waiting).value, 1);
});

test('a part that fails affects no other part', async () => {
  const shared = new SharedStatements(database);
  const waiting = shared.run<number>(answering(1), LONG_MS);
  await assert.rejects(shared.run(failing, 0), /division by zero/);
  assert.equal((await waiting).value, 1);
});

test('writes to logged and unlogged tables do not share, because only the latter may not wait for the disk', async () => {
  const shared = new SharedStatements(database);
  const writing = (writes: 'logged' | 'unlogged'): StatementPart => ({
    ctes: (name) => sql`${name} as (select current_setting('synchronous_commit') as value)`,
    value: (name) => sql`(select to_json(value) from ${name})`,
    writes,
  });
  const logged = shared.run<string>(writing('logged'), LONG_MS);
  const unlogged = shared.run<string>(writing('unlogged'), LONG_MS);
  await shared.run(answering(1), 0);
  assert.equal((await logged).value, 'on');
  assert.equal(sent, 1);
  await shared.run(answering(2), 0);
  assert.equal((await unlogged).value, 'off');
  assert.equal(sent, 2);
});

/** A part that renews the heartbeat of a lease. */
const renewing = (leaseId: string): StatementPart => ({
  ctes: (name) => sql`${name} as (
    update leases set heartbeat_at = greatest(heartbeat_at, now()) where lease_id = ${leaseId} returning heartbeat_at)`,
  value: (name) => sql`(select to_json(extract(epoch from heartbeat_at)) from ${name})`,
  writes: 'logged',
});

async function newLease(): Promise<string> {
  const leaseId = newUuid();
  await sql`insert into leases (lease_id, heartbeat_at, name) values (${leaseId}, now(), 'test')`.execute(
    db.database,
  );
  return leaseId;
}

test('parts that write never share, so that a locked row delays only its own heartbeat', async () => {
  const shared = new SharedStatements(database, { timings: { aloneAfterMs: LONG_MS, apartMs: 0 } });
  const locked = await newLease();
  const free = await newLease();
  let delayed: Promise<unknown> = Promise.resolve();
  await db.database.transaction().execute(async (tx) => {
    await sql`select from leases where lease_id = ${locked} for update`.execute(tx);
    delayed = shared.run(renewing(locked), LONG_MS).catch((error: unknown) => error);
    const renewed = shared.run<number>(renewing(free), LONG_MS);
    shared.flush();
    assert.ok((await renewed).value > 0);
    // A third statement would be a repetition, after the first statement has failed because of the lock.
    assert.equal(sent, 2);
  });
  await delayed;
});

test('the part whose patience ends first shares with a poll, and the others wait for the next poll', async () => {
  const shared = new SharedStatements(database);
  const patient = shared.run<number>(renewing(await newLease()), 2 * LONG_MS);
  const urgent = shared.run<number>(renewing(await newLease()), LONG_MS);
  sent = 0;
  await shared.run(answering(1), 0);
  await urgent;
  assert.equal(sent, 1);
  await shared.run(answering(2), 0);
  await patient;
  assert.equal(sent, 2);
});

test('after a shared statement has failed, parts run alone and at once', async () => {
  const shared = new SharedStatements(database);
  const waiting = shared.run<number>(answering(1), LONG_MS);
  await assert.rejects(shared.run(failing, 0), /division by zero/);
  await waiting;
  sent = 0;
  const results = await Promise.all([
    shared.run<number>(answering(2), LONG_MS),
    shared.run<number>(answering(3), 0),
  ]);
  assert.deepEqual(
    results.map(({ value }) => value),
    [2, 3],
  );
  assert.equal(sent, 2);
});

test('an error that occurs only when parts share is reported', async () => {
  const reported = Promise.withResolvers<unknown>();
  const shared = new SharedStatements(database, { onFault: reported.resolve });
  const sameName: StatementPart = {
    ctes: () => sql`same as (select 1 as value)`,
    value: () => sql`(select to_json(value) from same)`,
  };
  const waiting = shared.run<number>(sameName, LONG_MS);
  assert.equal((await shared.run<number>(sameName, 0)).value, 1);
  assert.equal((await waiting).value, 1);
  assert.match(String(await reported.promise), /specified more than once/);
});

test('while a shared statement is late, only its part that writes runs a second time', async () => {
  const shared = new SharedStatements(database, { timings: { aloneAfterMs: 20, apartMs: LONG_MS } });
  const blocked: StatementPart = {
    ctes: (name) => sql`${name} as (select count(*) as value from webhook_replays)`,
    value: (name) => sql`(select to_json(value) from ${name})`,
  };
  const leaseId = await newLease();
  let read: Promise<unknown> = Promise.resolve();
  sent = 0;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table webhook_replays in access exclusive mode`.execute(tx);
    const renewed = shared.run<number>(renewing(leaseId), LONG_MS);
    read = shared.run(blocked, 0);
    await renewed;
    assert.equal(sent, 2);
  });
  await read;
  assert.equal(sent, 2, 'the read has the result of the shared statement');
});

test('a part that waits for a lock delays no other part, and a late write does not undo a newer write', async () => {
  const shared = new SharedStatements(database, { timings: { aloneAfterMs: 20, apartMs: 0 } });
  const leaseId = await newLease();
  const blocked: StatementPart = {
    ctes: (name) => sql`${name} as (select count(*) as value from webhook_replays)`,
    value: (name) => sql`(select to_json(value) from ${name})`,
  };
  let read: Promise<unknown> = Promise.resolve();
  const renewedAt = await db.database.transaction().execute(async (tx) => {
    await sql`lock table webhook_replays in access exclusive mode`.execute(tx);
    const renewed = shared.run<number>(renewing(leaseId), LONG_MS);
    read = shared.run(blocked, 0).catch((error: unknown) => error);
    return (await renewed).value;
  });
  await read;
  const { rows } = await sql<{ at: number }>`
    select extract(epoch from heartbeat_at)::float8 as at from leases where lease_id = ${leaseId}`.execute(
    db.database,
  );
  assert.ok((rows[0]?.at ?? 0) >= renewedAt);
});
