import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { FairReads } from '../../db/fair-reads.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { EmailLists } from './email-lists.ts';

const CONNECTIONS = 4;
const [BUSY, OTHER] = [newUuid(), newUuid()];
/** Longer than these tests hold their locks on a busy machine. */
const LOCK_TIMEOUT_MS = 30_000;

let stack: AsyncDisposableStack;
let db: TestDatabase;
let pool: Database;
let lists: EmailLists;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  db = stack.use(await testDatabase());
  await insertEmails(db.database, [newEmail({ projectId: BUSY }), newEmail({ projectId: OTHER })]);
});
afterEach(() => stack.disposeAsync());

function open(timeoutMs: number): void {
  const options = {
    poolSize: CONNECTIONS,
    statementTimeoutMs: timeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  };
  pool = stack.adopt(openDatabase(db.url, options), (opened) => opened.destroy());
  lists = new EmailLists(new FairReads(pool, CONNECTIONS, { readTimeoutMs: timeoutMs }));
}

/** Blocks lists that filter by `to`, until the returned function is called. */
async function lockRecipients(): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const unlock = Promise.withResolvers<void>();
  const transaction = db.database.transaction().execute(async (tx) => {
    await sql`lock table email_recipients in access exclusive mode`.execute(tx);
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  return async () => {
    unlock.resolve();
    await transaction;
  };
}

async function waitingStatements(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and wait_event_type = 'Lock'`.execute(
    db.database,
  );
  return rows[0]?.count ?? 0;
}

test('blocked lists of one project leave connections for other projects', async () => {
  open(30_000);
  const unlock = await lockRecipients();
  const hanging = Array.from({ length: 20 }, () => lists.list(BUSY, { limit: 50, to: 'b@dst.test' }));
  assert.ok(await eventually(async () => (await waitingStatements()) === CONNECTIONS / 2, 10_000));
  const { data } = await lists.list(OTHER, { limit: 50 });
  assert.equal(data.length, 1);
  await unlock();
  for (const { data } of await Promise.all(hanging)) assert.equal(data.length, 1);
});

test('a list that times out is unavailable, suggests a narrower filter, and is cancelled in PostgreSQL too', async () => {
  open(300);
  const unlock = await lockRecipients();
  const hanging = await Promise.allSettled(
    Array.from({ length: 20 }, () => lists.list(BUSY, { limit: 50, to: 'b@dst.test' })),
  );
  for (const result of hanging) {
    assert.ok(result.status === 'rejected' && result.reason instanceof AppError);
    const { code, message, retryAfterSeconds } = result.reason;
    assert.equal(code, 'unavailable');
    assert.match(message, /longer than .* seconds.*since/);
    assert.ok((retryAfterSeconds ?? 0) >= 1);
  }
  assert.ok(await eventually(async () => (await waitingStatements()) === 0, 10_000));
  await unlock();
  assert.equal((await lists.list(BUSY, { limit: 50, to: 'b@dst.test' })).data.length, 1);
});

test('at most 100 lists of one project wait, further lists are rejected, and lists of other projects are served', async () => {
  open(30_000);
  const unlock = await lockRecipients();
  const started = Array.from({ length: 110 }, () => lists.list(BUSY, { limit: 50, to: 'b@dst.test' }));
  const results = Promise.allSettled(started);
  assert.equal((await lists.list(OTHER, { limit: 50 })).data.length, 1);
  await unlock();
  const refused = (await results).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 110 - 100 - CONNECTIONS / 2);
});
