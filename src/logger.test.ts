import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../test/support/postgres.ts';
import { describeError } from './logger.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test('what PostgreSQL refuses is logged with its code, and without the values that were refused', async () => {
  const bad = `{"to": "secret@example.com", "nul": "\\u0000"}`;
  const error = await sql`select ${bad}::jsonb`.execute(db.database).then(
    () => assert.fail('it was taken'),
    (reason: Error & { detail?: string; where?: string }) => reason,
  );
  assert.match(`${error.detail} ${error.where}`, /secret@example\.com/);
  const described = describeError(error);
  assert.equal(described['code'], '22P05');
  assert.doesNotMatch(JSON.stringify(described), /secret@example\.com/);
});
