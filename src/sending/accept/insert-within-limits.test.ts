import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject as insertProject } from '../../../test/support/projects.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { firstUuidAt, newUuid, timeOf } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import { PLAN_LIMITS, type Plan } from '../../model/plans.ts';
import { BatchAcceptor } from './accept-batch.ts';
import { findByIdempotencyKeys, insertEmails, type NewEmail, storedBytes } from './insert-emails.ts';
import { insertWithinLimits, type InsertOutcome } from './insert-within-limits.ts';
import { Replays } from './replays.ts';

const QUOTA = 100;
assert.equal(PLAN_LIMITS.free.apiEmailsPerMonth, QUOTA);

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const newProject = (plan: Plan) => insertProject(db.database, undefined, plan);

function emailsOf(projectId: string, count: number, fields: Partial<NewEmail> = {}): NewEmail[] {
  return Array.from({ length: count }, () => newEmail({ projectId, emailId: newUuid(), ...fields }));
}

function keyed(projectId: string, key: string): NewEmail {
  return newEmail({ projectId, idempotency: { key, fingerprint: Buffer.alloc(32, 1) } });
}

/** An email id from the middle of a month. @param months months from now; negative for past months */
function idOf(months: number): string {
  const now = new Date();
  const time = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15));
  return firstUuidAt(time).slice(0, 19) + newUuid().slice(19);
}

async function setPlan(projectId: string, plan: Plan): Promise<void> {
  await db.database.updateTable('projects').set({ plan }).where('id', '=', projectId).execute();
}

function count(outcomes: readonly InsertOutcome[], outcome: InsertOutcome): number {
  return outcomes.filter((one) => one === outcome).length;
}

async function storedOf(projectId: string): Promise<string[]> {
  const rows = await db.database
    .selectFrom('emails')
    .select('id')
    .where('projectId', '=', projectId)
    .execute();
  return rows.map(({ id }) => id);
}

/** The id of the email that an idempotency key belongs to; null if the key is unused. */
async function ownerOf(projectId: string, key: string): Promise<string | null> {
  const [found] = await findByIdempotencyKeys(db.database, [{ projectId, key }]);
  return found?.emailId ?? null;
}

test('a batch over the quota is refused as a whole, with the number of emails that are left', async () => {
  const projectId = await newProject('free');
  await insertEmails(db.database, emailsOf(projectId, QUOTA - 2));
  const acceptor = new BatchAcceptor({
    database: db.database,
    replays: new Replays(db.database),
    check: async () => newEmail({ projectId }),
    onQueued() {},
    templateUses: { note() {} },
  });
  const send = (count: number) =>
    acceptor.accept(
      { projectId, plan: 'free', trackOpens: false, trackClicks: false, restrictions: null },
      { emails: Array.from({ length: count }, () => ({ from: 'a@own.example', to: ['b@dst.test'] })) },
      null,
      null,
      null,
    );
  await assert.rejects(send(3), {
    code: 'quota-exceeded',
    message: /^The batch has 3 emails, but the plan of the project allows only 2 more this month/,
  });
  await send(2);
  await assert.rejects(send(3), { message: /^The project has sent the 100 emails/ });
});

test('a batch over the quota is stored up to the quota, and no trace of the other emails is stored', async () => {
  const free = await newProject('free');
  const emails = emailsOf(free, QUOTA + 3, { recipients: ['a@x.test', 'b@x.test'] });
  const outcomes = await insertWithinLimits(db.database, emails);
  assert.deepEqual(outcomes, [
    ...Array<InsertOutcome>(QUOTA).fill('accepted'),
    ...Array<InsertOutcome>(3).fill('over-quota'),
  ]);
  assert.deepEqual(
    (await storedOf(free)).toSorted(),
    emails.slice(0, QUOTA).map(({ emailId }) => emailId),
  );
  for (const table of ['emailRecipients', 'events', 'emailContents'] as const) {
    const rows = await db.database
      .selectFrom(table)
      .select('emailId')
      .distinct()
      .where('projectId', '=', free)
      .execute();
    assert.equal(rows.length, QUOTA, table);
  }
});

test('concurrent batches of several processes never exceed the quota', async () => {
  const free = await newProject('free');
  const others = Array.from({ length: 3 }, () => openDatabase(db.url, { poolSize: 4 }));
  const databases: Database[] = [db.database, ...others];
  try {
    const batches = Array.from({ length: 24 }, (_, at) =>
      insertWithinLimits(databases[at % databases.length] as Database, emailsOf(free, 9)),
    );
    assert.equal(count((await Promise.all(batches)).flat(), 'accepted'), QUOTA);
    assert.equal((await storedOf(free)).length, QUOTA);
  } finally {
    await Promise.all(others.map((other) => other.destroy()));
  }
});

test('each project in a batch has its own quota, and batches with projects in another order do not deadlock', async () => {
  const [one, two] = [await newProject('free'), await newProject('free')];
  const batches = Array.from({ length: 8 }, (_, at) => {
    const emails = [...emailsOf(one, 20), ...emailsOf(two, 20)];
    return at % 2 === 0 ? emails : emails.toReversed();
  });
  await Promise.all(batches.map((batch) => insertWithinLimits(db.database, batch)));
  assert.deepEqual([(await storedOf(one)).length, (await storedOf(two)).length], [QUOTA, QUOTA]);
});

test('emails of other months do not count towards the quota', async () => {
  const free = await newProject('free');
  const months = [-12, -1, 1].flatMap((away) =>
    Array.from({ length: QUOTA }, () => newEmail({ projectId: free, emailId: idOf(away) })),
  );
  await insertEmails(db.database, months);
  assert.equal(count(await insertWithinLimits(db.database, emailsOf(free, QUOTA + 1)), 'accepted'), QUOTA);
});

test('each email of a batch counts towards the month of its own id', async () => {
  const free = await newProject('free');
  const batch = [idOf(-1), newUuid(), idOf(-1)].map((emailId) => newEmail({ projectId: free, emailId }));
  await insertEmails(
    db.database,
    Array.from({ length: QUOTA - 1 }, () => newEmail({ projectId: free, emailId: idOf(-1) })),
  );
  assert.deepEqual(await insertWithinLimits(db.database, batch), ['accepted', 'accepted', 'over-quota']);
});

test('a machine whose clock is behind does not use the quota of a month twice', async () => {
  const free = await newProject('free');
  const { start } = monthOf(new Date());
  const late = () => firstUuidAt(new Date(start.getTime() - 5_000)).slice(0, 19) + newUuid().slice(19);
  const behind = () => newEmail({ projectId: free, emailId: late() });
  const outcomes = await insertWithinLimits(db.database, Array.from({ length: QUOTA + 1 }, behind));
  assert.equal(count(outcomes, 'accepted'), QUOTA);
  const perMonth = Map.groupBy(await storedOf(free), (id) => monthOf(timeOf(id)).start.getTime());
  assert.deepEqual(
    [...perMonth.values()].map((ids) => ids.length),
    [QUOTA],
  );
});

test('a change of plan takes effect at once, even if the request assumed the old plan', async () => {
  const project = await newProject('free');
  await insertWithinLimits(db.database, emailsOf(project, QUOTA));
  await setPlan(project, 'paid');
  assert.deepEqual(await insertWithinLimits(db.database, emailsOf(project, 2)), ['accepted', 'accepted']);
  await setPlan(project, 'free');
  assert.deepEqual(await insertWithinLimits(db.database, emailsOf(project, 1)), ['over-quota']);
});

test('a used idempotency key is reported even if the quota is used up, and an unused key is not claimed', async () => {
  const free = await newProject('free');
  const first = keyed(free, 'first');
  assert.deepEqual(await insertWithinLimits(db.database, [first, ...emailsOf(free, QUOTA - 1)]), [
    ...Array<InsertOutcome>(QUOTA).fill('accepted'),
  ]);
  assert.deepEqual(await insertWithinLimits(db.database, [keyed(free, 'first'), keyed(free, 'second')]), [
    'key-taken',
    'over-quota',
  ]);
  assert.equal(await ownerOf(free, 'first'), first.emailId);
  assert.equal(await ownerOf(free, 'second'), null);
});

test('emails with the same idempotency key in one batch count once towards the quota', async () => {
  const free = await newProject('free');
  await insertWithinLimits(db.database, emailsOf(free, QUOTA - 2));
  const batch = [keyed(free, 'a'), keyed(free, 'a'), keyed(free, 'b'), keyed(free, 'c')];
  assert.deepEqual(await insertWithinLimits(db.database, batch), [
    'accepted',
    'key-taken',
    'accepted',
    'over-quota',
  ]);
});

test('a batch waits for a transaction that claims its idempotency key without the lock of the project', async () => {
  const project = await newProject('free');
  const [early, late] = [keyed(project, 'race'), keyed(project, 'race')];
  const [won, outcomes] = await Promise.all([
    insertEmails(db.database, [early]),
    insertWithinLimits(db.database, [late]),
  ]);
  assert.deepEqual([won[0] === true, outcomes[0] === 'accepted'].toSorted(), [false, true]);
  assert.equal((await storedOf(project)).length, 1);
});

test('an email that exceeds the storage limit is rejected, and a smaller email is stored', async () => {
  const free = await newProject('free');
  const [large, small] = [
    newEmail({ projectId: free, text: 'ü'.repeat(500) }),
    newEmail({ projectId: free, text: 'x' }),
  ];
  assert.ok(storedBytes(large) > 1_000);
  await db.database
    .updateTable('projects')
    .set({ storageBytes: String((PLAN_LIMITS.free.storageBytes ?? 0) - storedBytes(small)) })
    .where('id', '=', free)
    .execute();
  assert.deepEqual(
    await insertWithinLimits(db.database, [large, small, newEmail({ projectId: free, text: 'x' })]),
    ['over-storage', 'accepted', 'over-storage'],
  );
  // Metered storage counts before it is added to the total of the project.
  assert.deepEqual(await insertWithinLimits(db.database, [newEmail({ projectId: free, text: 'x' })]), [
    'over-storage',
  ]);
});
