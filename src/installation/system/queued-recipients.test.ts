/** The recipients that the list shows are those that the numbers of the queue count. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { emptyQueue } from '../../../test/support/queue-rows.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import type { QueuedRecipientsQuery } from '../../contract/dashboard/queued-recipients.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { readQueue } from './queue-list.ts';
import { listQueuedRecipients } from './queued-recipients.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await sql`insert into settings (name, value) values ('provider_kind', 'real') on conflict (name) do update set value = 'real'`.execute(
    db.database,
  );
});
after(() => db[Symbol.asyncDispose]());

const PROJECTS = [newUuid(), newUuid()];

interface Queued {
  project: number;
  domain: string;
  stream: 'transactional' | 'bulk' | 'mailbox';
  isInFlight: boolean;
  isSandbox: boolean | null;
  attempts: number;
  next: 'due' | 'deferred' | 'parked' | 'rejected sender' | 'set aside' | 'later';
}

const queued: fc.Arbitrary<Queued> = fc.record({
  project: fc.nat(1),
  domain: fc.constantFrom('one.test', 'Two.test'),
  stream: fc.constantFrom('transactional', 'bulk', 'mailbox'),
  isInFlight: fc.boolean(),
  isSandbox: fc.option(fc.boolean()),
  attempts: fc.nat(1),
  next: fc.constantFrom('due', 'deferred', 'parked', 'rejected sender', 'set aside', 'later'),
});

async function insert(row: Queued): Promise<void> {
  const { next, domain } = row;
  const isParked = next === 'parked' || next === 'rejected sender';
  const destination = isParked
    ? `${domain.toLowerCase()}${next === 'parked' ? '' : ' from news.example'}`
    : null;
  const due =
    isParked || next === 'set aside'
      ? sql`'infinity'`
      : next === 'due'
        ? sql`now() - interval '1 second'`
        : sql`now() + interval '1 hour'`;
  await sql`
    insert into queue (project_id, email_id, recipient_index, address, octets, stream, in_flight, is_sandbox, attempts, destination,
      next_attempt_at, scheduled_at)
    values (${PROJECTS[row.project]}, ${newUuid()}, 0, ${`secret@${domain}`}, 1, ${row.stream}, ${row.isInFlight && next === 'due'},
      ${row.isSandbox}, ${row.attempts}, ${destination}, ${due}, ${next === 'later' ? due : null})`.execute(
    db.database,
  );
}

/** All rows of a list, in pages of two. */
async function rowsOf(query: QueuedRecipientsQuery, maxScanned?: number) {
  const rows = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listQueuedRecipients>> = await listQueuedRecipients(
      db.database,
      { ...query, limit: 2, ...(cursor !== undefined && { cursor }) },
      maxScanned,
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

test('each number of the queue is the number of recipients in its list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(queued, { maxLength: 10 }),
      fc.integer({ min: 1, max: 5 }),
      async (rows, scanned) => {
        await emptyQueue(db.database);
        for (const row of rows) await insert(row);
        const queue = await readQueue(db.database, {});
        const numbers: [QueuedRecipientsQuery, number][] = [
          [{}, queue.waiting],
          [{ state: 'in-flight' }, queue.in_flight],
          [{ state: 'other-kind' }, queue.other_kind?.waiting ?? 0],
          ...queue.data.flatMap(
            ({ domain, waiting, in_flight, put_off }): [QueuedRecipientsQuery, number][] => [
              [{ domain }, waiting],
              [{ domain, state: 'in-flight' }, in_flight],
              [{ domain, state: 'deferred' }, put_off],
            ],
          ),
        ];
        for (const [query, number] of numbers) {
          const found = await rowsOf(query);
          assert.equal(found.length, number, JSON.stringify(query));
          assert.equal(new Set(found.map(({ id }) => id)).size, number);
          assert.ok(!JSON.stringify(found).includes('secret'));
          assert.deepEqual(await rowsOf(query, scanned), found, `${scanned} rows at a time`);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('a row names its email or its message, its project and what it waits for', async () => {
  await emptyQueue(db.database);
  const base = { project: 0, domain: 'one.test', isInFlight: true, isSandbox: null, attempts: 1 } as const;
  const states = ['due', 'deferred', 'parked', 'set aside'] as const;
  for (const next of states) await insert({ ...base, stream: 'bulk', next });
  await insert({ ...base, stream: 'mailbox', isInFlight: false, next: 'due' });
  const rows = await rowsOf({});
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['in-flight', 'deferred', 'parked', 'set-aside', 'due'],
  );
  assert.deepEqual(
    rows.map(({ id }) => id.split('_')[0]),
    ['em', 'em', 'em', 'em', 'sub'],
  );
  assert.deepEqual(
    rows.map(({ next_attempt_at: next }) => next !== null),
    [true, true, false, false, true],
  );
  await assert.rejects(
    listQueuedRecipients(db.database, { cursor: 'x' }),
    (error) => error instanceof AppError && error.code === 'validation-failed',
  );
});
