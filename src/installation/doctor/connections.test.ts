import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { showProcess } from '../../../test/support/process-rows.ts';
import { checkConnections, judgeLocks } from './connections.ts';
import { assertFinding } from './finding.fixture.ts';
import { worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';

for (const [connections, verdict, advice] of [
  [20, 'ok', undefined],
  // The PostgreSQL of the tests has 197 connections for users that are not superusers.
  [95, 'warning', /max_connections.*POSTHORN_DB_CONNECTIONS/],
  [100, 'problem', /max_connections.*POSTHORN_DB_CONNECTIONS/],
] as const) {
  test(`the check is ${verdict} if processes on two machines may open ${2 * connections} connections`, async () => {
    await using db = await sealedDatabase();
    for (const host of ['one', 'two']) await showProcess(db.database, { host, role: 'http', connections });
    await showProcess(db.database, { host: 'gone', role: 'http', connections: 500, silentMs: 60_000 });
    const finding = await checkConnections(worldWith(DNS, { database: { opened: db.database } }));
    assertFinding(
      finding,
      verdict,
      new RegExp(`2 on 2 machines\\) can open ${2 * connections} connections`),
      advice,
    );
  });
}

test('the check of connections is ok if no process is running', async () => {
  await using db = await sealedDatabase();
  const finding = await checkConnections(worldWith(DNS, { database: { opened: db.database } }));
  assertFinding(finding, 'ok', /No process of Posthorn is running\. PostgreSQL allows \d+ connections/);
});

test('the check of connections is a problem without the database', async () => {
  assertFinding(await checkConnections(worldWith(DNS)), 'problem', /cannot be counted/, /check "database"/);
});

test('the default number of locks is reported as too low with many partitions', () => {
  assert.equal(judgeLocks({ locks: 64, partitions: 20 }), null);
  assert.equal(judgeLocks({ locks: 128, partitions: 500 }), null);
  const finding = judgeLocks({ locks: 64, partitions: 21 });
  assert.ok(finding !== null);
  assertFinding(finding, 'warning', /64 locks.*21 partitions/, /max_locks_per_transaction.*256/);
});
