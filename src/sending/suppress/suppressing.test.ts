import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { cte } from '../../db/cte.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';
import {
  clearExpiredSuppressions,
  type NewSuppression,
  suppress,
  suppresses,
  suppressing,
} from './suppressing.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

function entry(fields: Partial<NewSuppression> & { projectId: string }): NewSuppression {
  return { address: 'a@dst.test', reason: 'bounce', detail: null, cause: null, expiresAt: null, ...fields };
}

const put = (...rows: NewSuppression[]) => db.database.transaction().execute((tx) => suppress(tx, rows));

const stored = (projectId: string) =>
  db.database
    .selectFrom('suppressions')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('addressKey')
    .execute();

async function isSuppressed(projectId: string, address: string): Promise<boolean> {
  const { rows } = await sql`
    select from (select ${projectId}::uuid as project_id, ${address}::text as address) r
    join suppressions s on ${suppresses('s', 'r')}`.execute(db.database);
  return rows.length > 0;
}

async function expire(projectId: string): Promise<void> {
  await sql`update suppressions set created_at = created_at - interval '2 hours', expires_at = now() - interval '1 hour'
    where project_id = ${projectId}`.execute(db.database);
}

test('an address on the list is suppressed only in its project, in upper and lower case', async () => {
  const projectId = newUuid();
  await put(entry({ projectId, address: 'Ann.Lee@dst.test' }));
  assert.equal(await isSuppressed(projectId, 'ann.lee@dst.test'), true);
  assert.equal(await isSuppressed(projectId, 'ANN.lee@dst.test'), true);
  assert.equal(await isSuppressed(projectId, 'ann@dst.test'), false);
  assert.equal(await isSuppressed(newUuid(), 'ann.lee@dst.test'), false);
});

const PAIRS: [first: SuppressionReason, second: SuppressionReason, result: SuppressionReason][] = [
  ['manual', 'bounce', 'bounce'],
  ['bounce', 'manual', 'bounce'],
  ['unsubscribe', 'bounce', 'bounce'],
  ['bounce', 'complaint', 'complaint'],
  ['complaint', 'bounce', 'complaint'],
  ['manual', 'unsubscribe', 'unsubscribe'],
];
for (const [first, second, result] of PAIRS) {
  test(`after ${first} and then ${second}, the entry has the reason ${result} and the time of ${first}`, async () => {
    const projectId = newUuid();
    await put(entry({ projectId, reason: first, detail: { diagnostic: first } }));
    const [before] = await stored(projectId);
    const cause = { emailId: newUuid(), recipientIndex: 0 };
    await put(entry({ projectId, reason: second, detail: { diagnostic: second }, cause }));
    const [row, ...rest] = await stored(projectId);
    assert.deepEqual(rest, []);
    assert.partialDeepStrictEqual(row, {
      reason: result,
      detail: { diagnostic: result },
      emailId: result === second ? cause.emailId : null,
      createdAt: before?.createdAt,
    });
  });
}

const EXPIRIES: [title: string, first: number | null, second: number | null, result: number | null][] = [
  ['a second entry with an expiry does not shorten a permanent entry', null, 1, null],
  ['a permanent second entry removes the expiry', 1, null, null],
  ['of two expiries the later one wins if it is the second', 1, 2, 2],
  ['of two expiries the later one wins if it is the first', 2, 1, 2],
];
for (const [title, first, second, result] of EXPIRIES) {
  test(title, async () => {
    const projectId = newUuid();
    const times = new Map([first, second].map((hours) => [hours, hours === null ? null : inHours(hours)]));
    await put(entry({ projectId, expiresAt: times.get(first) ?? null }));
    await put(entry({ projectId, reason: 'manual', expiresAt: times.get(second) ?? null }));
    const [row] = await stored(projectId);
    assert.deepEqual(row?.expiresAt, times.get(result));
    assert.equal(row?.reason, 'bounce');
  });
}

test('an expired entry suppresses no address, and a new entry replaces it completely', async () => {
  const projectId = newUuid();
  await put(entry({ projectId, reason: 'complaint', expiresAt: inHours(1) }));
  await expire(projectId);
  const [old] = await stored(projectId);
  assert.equal(await isSuppressed(projectId, 'a@dst.test'), false);
  await put(entry({ projectId, reason: 'manual', address: 'A@dst.test', expiresAt: inHours(1) }));
  const [row] = await stored(projectId);
  assert.partialDeepStrictEqual(row, { reason: 'manual', address: 'A@dst.test' });
  assert.ok(row !== undefined && old !== undefined && row.createdAt > old.createdAt);
  assert.equal(await isSuppressed(projectId, 'a@dst.test'), true);
});

test('two entries for one address in a batch become one entry with the stronger reason', async () => {
  const projectId = newUuid();
  await put(
    entry({ projectId, reason: 'complaint' }),
    entry({ projectId, address: 'A@dst.test' }),
    entry({ projectId, address: 'b@dst.test', reason: 'manual', expiresAt: inHours(1) }),
    entry({ projectId, address: 'b@dst.test', reason: 'manual' }),
  );
  assert.deepEqual(
    (await stored(projectId)).map((row) => [row.addressKey, row.reason, row.expiresAt]),
    [
      ['a@dst.test', 'complaint', null],
      ['b@dst.test', 'manual', null],
    ],
  );
});

test('with a gate, an entry is added only if a row of the gate caused it', async () => {
  const projectId = newUuid();
  const emailId = newUuid();
  const rows = [
    entry({ projectId, address: 'settled@dst.test', cause: { emailId, recipientIndex: 1 } }),
    entry({ projectId, address: 'other-n@dst.test', cause: { emailId, recipientIndex: 0 } }),
    entry({ projectId, address: 'other-email@dst.test', cause: { emailId: newUuid(), recipientIndex: 1 } }),
    entry({ projectId: newUuid(), address: 'other-project@dst.test', cause: { emailId, recipientIndex: 1 } }),
    entry({ projectId, address: 'no-cause@dst.test' }),
  ];
  const settled = cte(
    'settled',
    sql`select ${projectId}::uuid as project_id, ${emailId}::uuid as email_id, 1::smallint as recipient_index`,
  );
  await sql`with ${settled.sql}, ${suppressing(rows, settled)} select`.execute(db.database);
  assert.deepEqual(
    (await stored(projectId)).map((row) => row.address),
    ['settled@dst.test'],
  );
});

test('suppressing an empty batch is a valid statement', async () => {
  await put();
});

test('concurrent transactions that suppress the same addresses in any order all succeed', async () => {
  const projectId = newUuid();
  const addresses = Array.from({ length: 20 }, (_, at) => `${at}@dst.test`);
  await Promise.all(
    Array.from({ length: 16 }, (_, run) =>
      put(
        ...(run % 2 === 0 ? addresses : addresses.toReversed()).map((address) =>
          entry({ projectId, address, reason: run % 3 === 0 ? 'complaint' : 'bounce' }),
        ),
      ),
    ),
  );
  const rows = await stored(projectId);
  assert.deepEqual([rows.length, new Set(rows.map((row) => row.reason))], [20, new Set(['complaint'])]);
});

test('clearExpiredSuppressions removes expired entries only', async () => {
  const [expired, standing] = [newUuid(), newUuid()];
  await put(entry({ projectId: expired, expiresAt: inHours(1) }));
  await expire(expired);
  await put(
    entry({ projectId: standing }),
    entry({ projectId: standing, address: 'b@dst.test', expiresAt: inHours(1) }),
  );
  await clearExpiredSuppressions(db.database);
  assert.deepEqual([(await stored(expired)).length, (await stored(standing)).length], [0, 2]);
});
