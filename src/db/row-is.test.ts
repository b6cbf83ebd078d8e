import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { rowIs } from './row-is.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test('rowIs returns a condition on all values', () => {
  const [projectId, id] = [newUuid(), newUuid()];
  const { sql, parameters } = db.database
    .deleteFrom('webhooks')
    .where((row) => rowIs(row, { projectId, id }))
    .compile();
  assert.match(sql, /where \("project_id" = \$1 and "id" = \$2\)$/);
  assert.deepEqual(parameters, [projectId, id]);
});

for (const missing of [undefined, null]) {
  test(`rowIs rejects a project that is ${missing}`, () => {
    const values = { projectId: missing, id: newUuid() } as unknown as { projectId: string; id: string };
    assert.throws(() => db.database.deleteFrom('webhooks').where((row) => rowIs(row, values)), TypeError);
  });
}
