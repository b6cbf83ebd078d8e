import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';
import { NameLocks } from './name-locks.ts';

test('a name has one holder across all processes until the holder releases it', async () => {
  await using db = await testDatabase();
  await using here = new NameLocks(db.url);
  await using there = new NameLocks(db.url);
  {
    await using held = await here.take('a');
    assert.ok(held !== null && !held.lost.aborted);
    assert.equal(await here.take('a'), null);
    assert.equal(await there.take('a'), null);
    await using other = await there.take('b');
    assert.ok(other !== null);
  }
  await using again = await there.take('a');
  assert.ok(again !== null);
  assert.equal(await here.take('a'), null);
});

test('losing the connection aborts `lost` and releases the name', async () => {
  await using db = await testDatabase();
  await using here = new NameLocks(db.url);
  await using there = new NameLocks(db.url);
  await using held = await here.take('a');
  assert.ok(held !== null);
  const lost = once(held.lost, 'abort');
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'posthorn names' and datname = current_database()`.execute(db.database);
  await lost;
  await using taken = await there.take('a');
  assert.ok(taken !== null);
  // Disposing the lost lock does not release the lock of its new holder.
  await held[Symbol.asyncDispose]();
  assert.equal(await here.take('a'), null);
});

test('disposing NameLocks releases all of its names', async () => {
  await using db = await testDatabase();
  await using there = new NameLocks(db.url);
  {
    await using here = new NameLocks(db.url);
    assert.ok((await here.take('a')) !== null);
  }
  await using taken = await there.take('a');
  assert.ok(taken !== null);
});

test('locking a name fails while the database is unavailable and succeeds afterwards', async () => {
  await using db = await testDatabase();
  await using other = await testDatabase();
  await using names = new NameLocks(db.url);
  const { database } = other;
  const name = sql.id(new URL(db.url).pathname.slice(1));
  await sql`alter database ${name} allow_connections false`.execute(database);
  await assert.rejects(names.take('a'));
  await sql`alter database ${name} allow_connections true`.execute(database);
  await using held = await names.take('a');
  assert.ok(held !== null);
});
