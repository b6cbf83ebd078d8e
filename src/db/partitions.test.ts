// Runs in its own process: it changes the clock.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { newEmail } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { learnTime } from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import { insertEmails } from '../sending/accept/insert-emails.ts';
import { openDatabase } from './database.ts';
import { nextBound } from './partition-spans.ts';
import { listPartitions } from './partition-changes.ts';
import { type Drop, dropPartitions, ensurePartitions } from './partitions.ts';

const TABLES = [
  'emails',
  'email_contents',
  'email_tags',
  'email_recipients',
  'events',
  'deliveries',
  'sandbox_messages',
] as const;

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase();
});
afterEach(() => db[Symbol.asyncDispose]());

function emailAt(timeMs: number) {
  const id = firstUuidAt(new Date(timeMs)).slice(0, 23) + newUuid().slice(23);
  return newEmail({ emailId: id, tags: ['x'] });
}

/** Asserts that every table accepts every id: each partition begins where the previous partition ends. */
async function assertWhole(): Promise<void> {
  for (const table of TABLES) {
    const partitions = await listPartitions(db.database, table);
    assert.equal(partitions[0]?.from, null);
    assert.equal(partitions.at(-1)?.until, null);
    for (const [at, { until }] of partitions.slice(0, -1).entries())
      assert.equal(until, partitions[at + 1]?.from);
  }
}

test('a partition ends at midnight, on a Monday or at the end of the month, depending on the retention', () => {
  const bounds = (after: string) =>
    [7, 90, 500, null].map((days) => nextBound(new Date(after), days).toISOString().slice(0, 10));
  assert.deepEqual(bounds('2026-11-20T23:59:59.999Z'), [
    '2026-11-21',
    '2026-11-23',
    '2026-12-01',
    '2026-12-01',
  ]);
  assert.deepEqual(bounds('2026-11-23T00:00:00Z'), ['2026-11-24', '2026-11-30', '2026-12-01', '2026-12-01']);
  assert.deepEqual(bounds('2026-12-31T12:00:00Z'), ['2027-01-01', '2027-01-04', '2027-01-01', '2027-01-01']);
});

suite('partitions', () => {
  test('partitions exist two days ahead for every table, however often and by how many instances they are created', async () => {
    const others = [openDatabase(db.url), openDatabase(db.url)];
    await Promise.all([db.database, ...others].map((database) => ensurePartitions(database, 7)));
    await ensurePartitions(db.database, 7);
    for (const other of others) await other.destroy();
    await assertWhole();
    for (const table of TABLES) {
      const last = (await listPartitions(db.database, table)).at(-1);
      const aheadMs = timeOf(last?.from ?? '').getTime() - Date.now();
      assert.ok(aheadMs > 2 * DAY_MS && aheadMs <= 3 * DAY_MS, `${table}: ${aheadMs}`);
    }
  });

  test('a new partition has the storage and vacuum settings of earlier partitions', async () => {
    await ensurePartitions(db.database, 7);
    const { rows } = await sql<{ kinds: number }>`
      select count(distinct (c.reloptions, a.columns, x.indexes))::int as kinds
      from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r',
      lateral (select array_agg((attname, attstorage, attcompression, attstattarget, atthasdef)::text order by attnum) as columns
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) a,
      lateral (select array_agg(index order by index) as indexes from pg_index,
        regexp_replace(pg_get_indexdef(indexrelid), '.* USING', '') index where indrelid = c.oid) x
      where c.relname not like '%\_first'
      group by i.inhparent`.execute(db.database);
    assert.deepEqual(
      rows.map(({ kinds }) => kinds),
      TABLES.map(() => 1),
    );
  });

  test('ids from a clock that is years ahead or behind are accepted', async () => {
    const insert = () =>
      insertEmails(
        db.database,
        [-30 * 365, 3 * 365].map((days) => emailAt(Date.now() + days * DAY_MS)),
      );
    await insert();
    await ensurePartitions(db.database, 7);
    await insert();
    await assertWhole();
    // No row created today shares a partition with the ids from a clock that is ahead.
    const partitions = await listPartitions(db.database);
    assert.ok(timeOf(partitions.at(-1)?.from ?? '').getTime() < Date.now() + 3 * DAY_MS);
  });

  test('if partitions were not created in time, the next partition begins after the greatest id', async () => {
    // The period of the last partition begins in the past, so the last partition receives new rows.
    await insertEmails(db.database, [emailAt(Date.now()), emailAt(Date.now() + 5 * DAY_MS)]);
    await ensurePartitions(db.database, 7);
    await assertWhole();
    for (const table of TABLES) {
      const last = (await listPartitions(db.database, table)).at(-1);
      assert.ok(timeOf(last?.from ?? '').getTime() > Date.now() + 2 * DAY_MS);
      const { rows } = await sql`select from ${sql.table(last?.name ?? '')}`.execute(db.database);
      assert.equal(rows.length, 0);
    }
    await insertEmails(db.database, [emailAt(Date.now()), emailAt(Date.now() + 50 * DAY_MS)]);
  });

  test('one of several late instances closes the last partition, and no check constraint is left behind', async (t) => {
    const others = Array.from({ length: 3 }, () => openDatabase(db.url));
    t.after(() => learnTime(Date.now(), performance.now(), performance.now()));
    await ensurePartitions(db.database, null);
    for (let round = 0; round < 3; round++) {
      const from = (await listPartitions(db.database)).at(-1)?.from;
      const nowMs = timeOf(from ?? '').getTime() + DAY_MS;
      learnTime(nowMs, performance.now(), performance.now());
      await insertEmails(db.database, [emailAt(nowMs)]);
      // Adds the check constraint that a killed process would leave behind.
      await sql`alter table emails_last add constraint is_of_range check (id < ${sql.lit(newUuid())}) not valid`.execute(
        db.database,
      );
      await Promise.all(
        others.map(async (other, at) => {
          await setTimeout(at * round * 10);
          await ensurePartitions(other, null);
        }),
      );
    }
    for (const other of others) await other.destroy();
    await ensurePartitions(db.database, null);
    const { rows } = await sql`select from pg_constraint where conname = 'is_of_range'`.execute(db.database);
    assert.equal(rows.length, 0);
    await assertWhole();
    for (const { from } of (await listPartitions(db.database)).slice(1))
      await insertEmails(db.database, [emailAt(timeOf(from ?? '').getTime() + 1)]);
  });

  test('partitions are created later if a table is locked for long, and inserts succeed in the meantime', async () => {
    await db.database.transaction().execute(async (tx) => {
      await sql`lock table emails in access share mode`.execute(tx);
      await ensurePartitions(db.database, 7);
      await insertEmails(db.database, [emailAt(Date.now())]);
    });
    await ensurePartitions(db.database, 7);
    await assertWhole();
  });

  test('dropPartitions drops partitions that end before a time from all tables, and every id is still accepted', async () => {
    await ensurePartitions(db.database, 7);
    const [, today, tomorrow] = await listPartitions(db.database);
    const old = emailAt(timeOf(today?.from ?? '').getTime() + 1_000);
    const kept = emailAt(timeOf(tomorrow?.from ?? '').getTime() + 1_000);
    await insertEmails(db.database, [old, kept]);
    const nothing = await dropPartitions(db.database, new Date(timeOf(today?.until ?? '').getTime() - 1));
    assert.equal(nothing, 'nothing');
    const seen: string[] = [];
    const before: Drop['before'] = async (tx, until) => {
      assert.equal(until, today?.until);
      const rows = await tx.selectFrom('emails').select('id').where('id', '<', until).execute();
      seen.push(...rows.map(({ id }) => id));
    };
    assert.equal(await dropPartitions(db.database, timeOf(today?.until ?? ''), { before }), 'dropped');
    assert.deepEqual(seen, [old.emailId]);
    for (const table of ['emails', 'emailContents', 'emailRecipients', 'events', 'emailTags'] as const) {
      const rows = await db.database.selectFrom(table).selectAll().execute();
      assert.equal(rows.length, 1, table);
    }
    assert.equal(await dropPartitions(db.database, timeOf(today?.until ?? '')), 'nothing');
    await assertWhole();
    await insertEmails(db.database, [emailAt(0), emailAt(timeOf(today?.from ?? '').getTime())]);
  });
});
