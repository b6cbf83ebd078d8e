import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../../test/support/postgres.ts';
import { readStatements, showCounted, withoutValues } from './statements.ts';

test('all values are removed from a statement', () => {
  for (const [text, shown] of [
    ["select * from emails\n  where sender = 'ann@acme.example'", "select * from emails where sender = '…'"],
    ["select 'it''s ann' -- ann\n, 1", "select '…' , 1"],
    ['select $$ann$$, $q$ann$q$, $1', "select '…', '…', $1"],
    ["select 'ann is cut of", "select '…'"],
  ] as const)
    assert.equal(withoutValues(text), shown);
});

test('the statement statistics of the embedded PostgreSQL are read without values', async () => {
  await using db = await testDatabase();
  await showCounted(db.database);
  await showCounted(db.database);
  const readCounted = async () => {
    // This statement takes long enough to be among the statements that take the most time.
    await sql`select ${'ann'}::text as counted_here, count(*) from generate_series(1, 300000) where 'bob' <> ''`.execute(
      db.database,
    );
    const { source, data } = await readStatements(db.database);
    assert.equal(source, 'pg_stat_statements');
    return data.find(({ text }) => text.includes('counted_here'));
  };
  // PostgreSQL keeps statistics of 1,000 statements. The statements of other tests on the same server may evict a statement at any time.
  let counted = await readCounted();
  for (let tries = 1; counted === undefined && tries < 5; tries += 1) counted = await readCounted();
  assert.equal(counted?.calls, 1);
  assert.doesNotMatch(counted.text, /ann|bob/);
});
