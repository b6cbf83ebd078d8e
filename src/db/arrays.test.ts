import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { anyText } from '../../test/support/any-text.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import {
  boolArray,
  byteaArray,
  int2Array,
  textArray,
  textArrayLiteral,
  timestampArray,
  uuidArray,
} from './arrays.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const text = anyText().filter((value) => value.isWellFormed() && !value.includes('\0'));

test('PostgreSQL decodes every encoded array correctly', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uuid()),
      fc.array(fc.option(text)),
      fc.array(fc.integer({ min: -32_768, max: 32_767 })),
      fc.array(fc.boolean()),
      fc.array(fc.uint8Array()),
      fc.array(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
      async (uuids, texts, numbers, booleans, bytes, times) => {
        const { rows } = await sql<Record<string, unknown>>`select
          ${uuidArray(uuids)}::uuid[] as uuids, ${textArray(texts)}::text[] as texts, ${int2Array(numbers)}::smallint[] as numbers,
          ${boolArray(booleans)}::bool[] as booleans, ${byteaArray(bytes)}::bytea[] as bytes,
          ${timestampArray(times)}::timestamptz[] as times`.execute(db.database);
        const [row] = rows;
        assert.deepEqual(row, {
          uuids,
          texts,
          numbers,
          booleans,
          bytes: bytes.map((value) => Buffer.from(value)),
          times,
        });
      },
    ),
    { numRuns: 50 },
  );
});

test('PostgreSQL decodes a text array literal correctly', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text), async (texts) => {
      const { rows } = await sql<{
        texts: string[];
      }>`select ${textArrayLiteral(texts)}::text[] as texts`.execute(db.database);
      assert.deepEqual(rows[0]?.texts, texts);
    }),
    { numRuns: 50 },
  );
});
