import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { anyText } from '../../test/support/any-text.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { rowsOf } from './rows.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const text = anyText().filter((value) => value.isWellFormed() && !value.includes('\0'));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value);

interface Row {
  id: string | null;
  name: string | null;
  small: number | null;
  medium: number | null;
  large: number | null;
  flag: boolean | null;
  bytes: Uint8Array | null;
  moment: Date | null;
  day: string | null;
  facts: object | null;
  words: string[];
  numbers: number[];
}

const ROWS = rowsOf<Row>('r', {
  id: ['uuid', (row) => row.id],
  name: ['text', (row) => row.name],
  small: ['int2', (row) => row.small],
  medium: ['int4', (row) => row.medium],
  large: ['int8', (row) => row.large],
  flag: ['bool', (row) => row.flag],
  bytes: ['bytea', (row) => row.bytes],
  moment: ['timestamptz', (row) => row.moment],
  day: ['date', (row) => row.day],
  facts: ['json', (row) => row.facts],
  words: ['text[]', (row) => row.words],
  numbers: ['int2[]', (row) => row.numbers],
});

const row: fc.Arbitrary<Row> = fc.record({
  id: optional(fc.uuid()),
  name: optional(text),
  small: optional(fc.integer({ min: -32_768, max: 32_767 })),
  medium: optional(fc.integer()),
  large: optional(fc.maxSafeInteger()),
  flag: optional(fc.boolean()),
  bytes: optional(fc.uint8Array()),
  moment: optional(fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })),
  day: optional(fc.constantFrom('2026-11-20', '2024-02-29')),
  facts: optional(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.constant(null)))),
  words: fc.array(text),
  numbers: fc.array(fc.integer({ min: -32_768, max: 32_767 })),
});

test('a statement receives each value in its column', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 5 }), async (rows) => {
      const { rows: found } = await sql<Record<string, unknown>>`
        with seen as (select ${ROWS.values} from ${ROWS.from(rows)})
        select ${ROWS.names}, large::text as large, day::text as day from seen`.execute(db.database);
      assert.deepEqual(
        found.map((one) => ({ ...one })),
        rows.map((one) => ({
          ...one,
          large: one.large === null ? null : String(one.large),
          bytes: one.bytes === null ? null : Buffer.from(one.bytes),
          facts: one.facts === null ? null : { ...one.facts },
        })),
      );
    }),
    { numRuns: 50 },
  );
});
