import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { openDatabase } from '../../../db/database.ts';
import type { TlsSession } from './tls-outcomes.ts';
import { TlsResults, type TlsResultsOptions } from './tls-results.ts';

const SUCCESS: TlsSession = {
  policyDomain: 'dst.test',
  policyType: 'sts',
  mxHost: 'mx.dst.test',
  outcome: 'success',
};
const EXPIRED: TlsSession = { ...SUCCESS, outcome: 'certificate-expired' };

let db: TestDatabase;
let now: Date;
let warnings: string[];
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());
beforeEach(async () => {
  now = new Date('2026-11-20T23:59:59Z');
  warnings = [];
  await db.database.deleteFrom('tlsResults').execute();
});

function collect(options: Partial<TlsResultsOptions> = {}): TlsResults {
  return new TlsResults({
    database: db.database,
    logger: { warn: (_: unknown, text?: string) => warnings.push(String(text)) },
    now: () => now,
    ...options,
  });
}

/** The rows of the table as text: day, host, outcome, number of sessions. */
async function rows(): Promise<string[]> {
  const found = await db.database
    .selectFrom('tlsResults')
    .select((of) => [of.cast<string>('day', 'text').as('date'), 'mxHost', 'outcome', 'sessions'])
    .orderBy('day')
    .orderBy('outcome')
    .execute();
  return found.map(({ date, mxHost, outcome, sessions }) => [date, mxHost, outcome, sessions].join(' '));
}

function times(count: number, act: () => void): void {
  for (let done = 0; done < count; done++) act();
}

test('sessions are counted by day, domain, policy, host and outcome', async () => {
  const results = collect();
  times(3, () => results.record(SUCCESS));
  times(2, () => results.record(EXPIRED));
  results.record({ ...SUCCESS, mxHost: 'mx2.dst.test' });
  results.record({ ...SUCCESS, policyType: 'no-policy-found', outcome: 'starttls-not-supported' });
  now = new Date('2026-11-21T00:00:00Z');
  results.record(SUCCESS);
  await results.flush();
  assert.deepEqual((await rows()).sort(), [
    '2026-11-20 mx.dst.test certificate-expired 2',
    '2026-11-20 mx.dst.test starttls-not-supported 1',
    '2026-11-20 mx.dst.test success 3',
    '2026-11-20 mx2.dst.test success 1',
    '2026-11-21 mx.dst.test success 1',
  ]);
});

test('the counts of several flushes and processes are added up', async () => {
  const both = [collect(), collect()];
  for (let round = 0; round < 3; round++) {
    for (const results of both) {
      times(2, () => results.record(SUCCESS));
      results.record(EXPIRED);
    }
    await Promise.all(both.map((results) => results.flush()));
  }
  assert.deepEqual(await rows(), [
    '2026-11-20 mx.dst.test certificate-expired 6',
    '2026-11-20 mx.dst.test success 12',
  ]);
});

test('a session counted during a flush is written by the next flush, and no session is counted twice', async () => {
  const results = collect();
  results.record(SUCCESS);
  const flushes = [results.flush(), results.flush()];
  results.record(SUCCESS);
  await Promise.all(flushes);
  await results.flush();
  assert.deepEqual(await rows(), ['2026-11-20 mx.dst.test success 2']);
});

test('a failed flush keeps the counts for the next flush', async () => {
  const away = openDatabase('postgres://127.0.0.1:1/nowhere');
  const options: TlsResultsOptions = { database: away, logger: { warn: () => {} }, now: () => now };
  const results = new TlsResults(options);
  results.record(SUCCESS);
  await results.flush();
  results.record(SUCCESS);
  await results.flush();
  options.database = db.database;
  await results.flush();
  assert.deepEqual(await rows(), ['2026-11-20 mx.dst.test success 2']);
  await away.destroy();
});

test('combinations beyond the limit are not counted, and this is logged once', async () => {
  const results = collect({ maxKinds: 2 });
  results.record(SUCCESS);
  results.record(EXPIRED);
  times(5, () => results.record({ ...SUCCESS, mxHost: 'mx3.dst.test' }));
  results.record(SUCCESS);
  await results.flush();
  await results.flush();
  assert.deepEqual(await rows(), [
    '2026-11-20 mx.dst.test certificate-expired 1',
    '2026-11-20 mx.dst.test success 2',
  ]);
  assert.equal(warnings.length, 1);
});

test('results are deleted after 30 days', async () => {
  const results = collect();
  results.record(SUCCESS);
  await results.flush();
  now = new Date('2026-12-20T12:00:00Z');
  results.record(EXPIRED);
  await results.flush();
  assert.equal((await rows()).length, 2);
  now = new Date('2026-12-21T00:00:00Z');
  await results.flush();
  assert.deepEqual(await rows(), ['2026-12-20 mx.dst.test certificate-expired 1']);
});

test('a flush without results only deletes old days', async () => {
  const away = openDatabase('postgres://127.0.0.1:1/nowhere');
  const options: TlsResultsOptions = {
    database: db.database,
    logger: { warn: (_: unknown, text?: string) => warnings.push(String(text)) },
    now: () => now,
  };
  const results = new TlsResults(options);
  await results.flush();
  options.database = away;
  await results.flush();
  assert.deepEqual(warnings, []);
  now = new Date('2026-11-21T00:00:00Z');
  await results.flush();
  assert.equal(warnings.length, 1);
  await away.destroy();
});
