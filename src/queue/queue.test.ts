import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { type ClaimedRow, claimDue, claimSuspect } from './claim.ts';
import { endLife, findExpiredLives, MAX_CRASHES } from './end-life.ts';
import { Life } from './life.ts';
import { leaveToLease, release, type Settlement, settling, takingInHand } from './settle.ts';

let db: TestDatabase;
const lives: Life[] = [];
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await sql`truncate recipients, emails, email_contents, events, workers`.execute(db.database);
});
after(async () => {
  for (const life of lives) life.stop();
  await db[Symbol.asyncDispose]();
});

async function newLife(): Promise<Life> {
  const life = await Life.begin(db.database, newUuid(), 'test');
  lives.push(life);
  return life;
}

/** Runs the CTE and returns how many rows it touched. */
async function takeInHand(life: Life, rows: readonly ClaimedRow[]): Promise<number> {
  const result = await sql`with ${takingInHand(life.epoch, rows)} select from held`.execute(db.database);
  return result.rows.length;
}

async function settle(life: Life, rows: readonly ClaimedRow[], settlement: Settlement): Promise<number> {
  const settled = settling(
    life.epoch,
    rows.map((row) => ({ ...row, settlement })),
  );
  const result = await sql`with ${settled} select from settled`.execute(db.database);
  return result.rows.length;
}

async function stored() {
  return db.database.selectFrom('recipients').selectAll().execute();
}

/** Ends the life as the death of its process does, with the rows in hand. */
async function crashWith(life: Life, rows: readonly ClaimedRow[]): Promise<string[]> {
  await takeInHand(life, rows);
  const givenUp: string[] = [];
  await endLife(db.database, life.epoch, 'dead', async (_tx, lost) => {
    givenUp.push(...lost.map((row) => row.emailId));
  });
  return givenUp;
}

test('two workers that claim at once share the rows without one in common', async () => {
  await queueEmails(db.database, 100);
  const [a, b] = [await newLife(), await newLife()];
  const [first, second] = await Promise.all([
    claimDue(db.database, a.epoch, 60),
    claimDue(db.database, b.epoch, 60),
  ]);
  const ids = [...first, ...second].map((row) => row.emailId);
  assert.equal(new Set(ids).size, ids.length);
  const rest = await claimDue(db.database, a.epoch, 100);
  assert.equal(ids.length + rest.length, 100);
});

test('a row that is not due yet is not claimed', async () => {
  await queueEmails(db.database, 1);
  await sql`update recipients set next_attempt_at = now() + interval '1 minute'`.execute(db.database);
  assert.deepEqual(await claimDue(db.database, (await newLife()).epoch, 10), []);
});

test('a life that has ended claims nothing', async () => {
  await queueEmails(db.database, 1);
  const life = await newLife();
  await endLife(db.database, life.epoch, 'dead', async () => {});
  assert.deepEqual(await claimDue(db.database, life.epoch, 10), []);
});

test('a row that is done is never claimed again, one put off is when its time comes', async () => {
  await queueEmails(db.database, 2);
  const life = await newLife();
  const [done, later] = await claimDue(db.database, life.epoch, 2);
  assert.ok(done && later);
  await settle(life, [done], { kind: 'done' });
  await settle(life, [later], { kind: 'later', delayMs: 60_000 });
  assert.deepEqual(await claimDue(db.database, life.epoch, 10), []);
  await sql`update recipients set next_attempt_at = next_attempt_at - interval '61 seconds'`.execute(
    db.database,
  );
  const again = await claimDue(db.database, life.epoch, 10);
  assert.deepEqual(
    again.map((row) => [row.emailId, row.attempts]),
    [[later.emailId, 1]],
  );
});

test('a life that has ended can settle nothing, and the rows are due again', async () => {
  await queueEmails(db.database, 1);
  const [old, next] = [await newLife(), await newLife()];
  const rows = await claimDue(db.database, old.epoch, 1);
  await endLife(db.database, old.epoch, 'dead', async () => {});
  assert.equal(await settle(old, rows, { kind: 'done' }), 0);
  assert.equal((await claimDue(db.database, next.epoch, 1)).length, 1);
});

test('rows that another life holds by now cannot be settled, taken in hand or released', async () => {
  await queueEmails(db.database, 1);
  const [a, b] = [await newLife(), await newLife()];
  const rows = await claimDue(db.database, a.epoch, 1);
  assert.equal(await settle(b, rows, { kind: 'done' }), 0);
  assert.equal(await takeInHand(b, rows), 0);
  await release(db.database, b.epoch, rows);
  assert.equal((await stored())[0]?.epoch, a.epoch);
});

test('only what was in hand when its worker died counts a crash', async () => {
  await queueEmails(db.database, 3);
  const life = await newLife();
  const rows = await claimDue(db.database, life.epoch, 3);
  await crashWith(life, rows.slice(0, 1));
  assert.deepEqual((await stored()).map((row) => [row.crashes, row.epoch, row.inHand]).toSorted(), [
    [0, null, false],
    [0, null, false],
    [1, null, false],
  ]);
});

test('after the second crash a row is left out of batches and claimed alone', async () => {
  await queueEmails(db.database, 1);
  for (let crash = 0; crash < 2; crash++) {
    const life = await newLife();
    await crashWith(life, await claimDue(db.database, life.epoch, 1));
  }
  await queueEmails(db.database, 2);
  const life = await newLife();
  assert.equal((await claimDue(db.database, life.epoch, 10)).length, 2);
  assert.equal((await claimSuspect(db.database, life.epoch))?.crashes, 2);
  assert.equal(await claimSuspect(db.database, life.epoch), null);
});

test('after the fifth crash a row is given up', async () => {
  const [email] = await queueEmails(db.database, 1);
  const givenUp: string[][] = [];
  for (let crash = 0; crash < MAX_CRASHES; crash++) {
    const life = await newLife();
    const row =
      crash < 2
        ? (await claimDue(db.database, life.epoch, 1))[0]
        : await claimSuspect(db.database, life.epoch);
    assert.ok(row);
    givenUp.push(await crashWith(life, [row]));
  }
  assert.deepEqual(givenUp, [[], [], [], [], [email?.emailId]]);
  assert.equal((await stored())[0]?.nextAttemptAt, null);
});

test('an attempt that comes to an end clears the crashes', async () => {
  await queueEmails(db.database, 1);
  const first = await newLife();
  await crashWith(first, await claimDue(db.database, first.epoch, 1));
  const life = await newLife();
  const rows = await claimDue(db.database, life.epoch, 1);
  await settle(life, rows, { kind: 'later', delayMs: 0 });
  assert.equal((await stored())[0]?.crashes, 0);
});

test('what is left to the lease stays held and counts no crash when the lease ends', async () => {
  await queueEmails(db.database, 1);
  const life = await newLife();
  const rows = await claimDue(db.database, life.epoch, 1);
  await takeInHand(life, rows);
  await leaveToLease(db.database, life.epoch, rows);
  assert.deepEqual(await claimDue(db.database, (await newLife()).epoch, 1), []);
  await endLife(db.database, life.epoch, 'dead', async () => {});
  assert.deepEqual(
    (await stored()).map((row) => [row.epoch, row.crashes]),
    [[null, 0]],
  );
});

test('a life with a fresh heartbeat is not expired and cannot be ended for its age', async () => {
  const life = await newLife();
  assert.deepEqual(await findExpiredLives(db.database), []);
  await endLife(db.database, life.epoch, 'expired', async () => {});
  assert.equal((await db.database.selectFrom('workers').select('epoch').execute()).length, 1);
});

test('a life without a heartbeat for the time of a lease is expired', async () => {
  const life = await newLife();
  await sql`update workers set heartbeat_at = now() - interval '31 seconds'`.execute(db.database);
  assert.deepEqual(await findExpiredLives(db.database), [life.epoch]);
});

test('a settlement that is written again does not touch the next attempt on the row', async () => {
  await queueEmails(db.database, 1);
  const life = await newLife();
  const first = await claimDue(db.database, life.epoch, 1);
  assert.equal(await settle(life, first, { kind: 'later', delayMs: 0 }), 1);
  const second = await claimDue(db.database, life.epoch, 1);
  assert.equal(await settle(life, first, { kind: 'later', delayMs: 0 }), 0);
  assert.equal(await settle(life, second, { kind: 'done' }), 1);
});

test('what a life holds is due again when it ends, though the clock of the database went back', async () => {
  await queueEmails(db.database, 1);
  const life = await newLife();
  await claimDue(db.database, life.epoch, 1);
  await sql`update recipients set next_attempt_at = now() + interval '2 seconds'`.execute(db.database);
  await endLife(db.database, life.epoch, 'dead', async () => {});
  assert.deepEqual(
    (await stored()).map((row) => row.epoch),
    [null],
  );
});

test('a life that retires counts no crash for what it leaves', async () => {
  await queueEmails(db.database, 1);
  const life = await newLife();
  await takeInHand(life, await claimDue(db.database, life.epoch, 1));
  await endLife(db.database, life.epoch, 'retired', async () => {});
  assert.deepEqual(
    (await stored()).map((row) => [row.epoch, row.crashes]),
    [[null, 0]],
  );
});

test('beginning a life again whose first beginning was not heard of is the same life', async () => {
  const epoch = newUuid();
  for (let time = 0; time < 2; time++) lives.push(await Life.begin(db.database, epoch, 'test'));
  assert.equal((await db.database.selectFrom('workers').select('epoch').execute()).length, 1);
});
