import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';
import { HostChoice } from './connection-hosts.ts';
import type { Host } from './connection-url.ts';
import { type Database, isDatabaseAway, openDatabase, sqlState } from './database.ts';
import { ServerReadOnly } from './database-client.ts';
import { describeFault } from './durable-write.ts';

async function sessionOf(database: Database): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database);
  return rows[0]?.pid;
}

test('a connection whose server became read-only is discarded, and its open transaction fails', async () => {
  await using db = await testDatabase();
  const database = openDatabase(db.url, { poolSize: 1 });
  const before = await sessionOf(database);
  await sql`set default_transaction_read_only = on`.execute(database);
  assert.equal(await sessionOf(database), before);
  const write = database.transaction().execute(async (tx) => {
    await sql`create table written ()`.execute(tx);
  });
  await assert.rejects(write, (error) => sqlState(error) === '25006' && isDatabaseAway(error));
  // If the connection had been returned to its pool, this statement would fail too.
  await sql`create table written ()`.execute(database);
  assert.notEqual(await sessionOf(database), before);
  await database.destroy();
});

test('a connection that its server shuts down is discarded at once', async () => {
  await using db = await testDatabase();
  const database = openDatabase(db.url, { poolSize: 1 });
  for (let round = 0; round < 5; round++) {
    const before = await sessionOf(database);
    await assert.rejects(
      sql`select pg_terminate_backend(pg_backend_pid())`.execute(database),
      (error) => sqlState(error) === '57P01' && isDatabaseAway(error),
    );
    assert.notEqual(await sessionOf(database), before);
  }
  await database.destroy();
});

test('target_session_attrs=read-write skips a read-only server', async () => {
  await using db = await testDatabase();
  const name = new URL(db.url).pathname.slice(1);
  await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(db.database);
  const writing = openDatabase(`${db.url}?target_session_attrs=read-write`, { poolSize: 1 });
  await assert.rejects(
    sql`select 1`.execute(writing),
    (error) =>
      error instanceof ServerReadOnly &&
      isDatabaseAway(error) &&
      describeFault(error) === 'The database is read-only.',
  );
  const any = openDatabase(`${db.url}?target_session_attrs=any`, { poolSize: 1 });
  await sql`select 1`.execute(any);
  await sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(db.database);
  await sql`create table written ()`.execute(writing);
  await Promise.all([writing.destroy(), any.destroy()]);
});

const HOSTS: readonly Host[] = ['one', 'two', 'three'].map((host) => ({ host, port: 5432 }));

test('hosts are probed in order, and the first usable host is used until it is forgotten', async () => {
  const tried: string[] = [];
  let serving = 'two';
  const choice = new HostChoice(HOSTS, ({ host }) => {
    tried.push(host);
    return host === serving ? Promise.resolve() : Promise.reject(new Error('is a standby'));
  });
  const [found, again] = await Promise.all([choice.find(), choice.find()]);
  assert.deepEqual([found.host, again.host, (await choice.find()).host], ['two', 'two', 'two']);
  assert.deepEqual(tried, ['one', 'two']);
  choice.forget(found);
  serving = 'three';
  assert.equal((await choice.find()).host, 'three');
});

test('a host that does not respond delays the next host only briefly', async () => {
  const choice = new HostChoice(HOSTS, ({ host }) =>
    host === 'two' ? Promise.resolve() : new Promise(() => {}),
  );
  assert.equal((await choice.find()).host, 'two');
});

test('the error names the reason for each host if no host can be used', async () => {
  const choice = new HostChoice(HOSTS, ({ host }) => Promise.reject(new Error(`${host} is a standby`)));
  await assert.rejects(choice.find(), /one:5432: one is a standby; two:5432: two is.*; three:5432: three/);
  await assert.rejects(choice.find(), isDatabaseAway);
});
