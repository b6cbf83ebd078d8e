import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { takeFaults } from '../../test/support/checked-results.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { columnsOf, shaped } from './columns.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const ALL = columnsOf({
  anId: 'uuid',
  aText: 'text',
  aStream: shaped<'email' | 'mailbox'>('text'),
  small: 'int2',
  medium: 'int4',
  large: 'int8',
  real: 'float8',
  exact: 'numeric',
  flag: 'bool',
  bytes: 'bytea',
  moment: 'timestamptz',
  day: 'date',
  facts: shaped<{ n: number }>('json'),
  binaryFacts: 'jsonb',
  ids: 'uuid[]',
  texts: 'text[]',
  gaps: 'text?[]',
  smalls: 'int2[]',
  mediums: 'int4[]',
  larges: 'int8[]',
  reals: 'float8[]',
  byteses: 'bytea[]',
  flags: 'bool[]',
  nothing: 'text?',
});

test('each kind of column is read as its declared type', async () => {
  const { rows } = await ALL.sql`
    select gen_random_uuid() as an_id, 'a' as a_text, 'mailbox'::stream as a_stream, 1::int2 as small, 2 as medium, 3::int8 as large,
      0.5::float8 as real, 0.25 as exact, true as flag, ${Buffer.from('b')}::bytea as bytes, now() as moment, date '2026-11-20' as day,
      '{"n": 1}'::json as facts, '[]'::jsonb as binary_facts, array[gen_random_uuid()] as ids, array['c'] as texts, array['c', null] as gaps,
      array[1]::int2[] as smalls, array[2] as mediums, array[3]::int8[] as larges, array[0.5]::float8[] as reals, array[${Buffer.from('d')}::bytea] as byteses,
      array[true] as flags, null::text as nothing`.execute(db.database);
  const [row] = rows;
  assert.ok(row !== undefined);
  const { anId, moment, day, ids, ...rest } = row;
  assert.deepEqual(
    [typeof anId, moment instanceof Date, day instanceof Date, typeof ids[0]],
    ['string', true, true, 'string'],
  );
  assert.deepEqual(rest, {
    aText: 'a',
    aStream: 'mailbox',
    small: 1,
    medium: 2,
    large: '3',
    real: 0.5,
    exact: '0.25',
    flag: true,
    bytes: Buffer.from('b'),
    facts: { n: 1 },
    binaryFacts: [],
    texts: ['c'],
    gaps: ['c', null],
    smalls: [1],
    mediums: [2],
    larges: ['3'],
    reals: [0.5],
    byteses: [Buffer.from('d')],
    flags: [true],
    nothing: null,
  });
});

describe('a test fails if its statement returns', () => {
  const CLAIMED = columnsOf({ id: 'int4', name: 'text' });
  const returned = {
    'another type': [CLAIMED.sql`select count(*) as id, 'a' as name`, /id is declared as int4, and is int8/],
    'a null that is not declared': [CLAIMED.sql`select 1 as id, null::text as name`, /name is null/],
    'an array with a null that is not declared': [
      columnsOf({ names: 'text[]' }).sql`select array['a', null] as names`,
      /names contains a null/,
    ],
    'an infinite time': [
      columnsOf({ at: 'timestamptz' }).sql`select 'infinity'::timestamptz as at`,
      /at is infinity/,
    ],
    'a column too few': [CLAIMED.sql`select 1 as id where false`, /name is not returned/],
    'a column too many': [CLAIMED.sql`select 1 as id, 'a' as name, 2 as n where false`, /n is not declared/],
  } as const;
  for (const [difference, [statement, fault]] of Object.entries(returned))
    test(difference, async () => {
      await assert.rejects(statement.execute(db.database), fault);
      const [found, ...others] = takeFaults();
      assert.match(found ?? '', fault);
      assert.deepEqual(others, []);
    });
});
