import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { type EmailKey, recordEvents } from '../../sending/events/record-events.ts';
import { hourOf } from './retained.ts';
import { EmailCounter } from './email-counter.ts';
import { markHours } from './mark-hours.ts';
import { readFreshness } from './read-freshness.ts';

const OUTCOMES = ['delivered', 'opened', 'clicked', 'failed', 'bounced', 'complained'] as const;
const MINUTE_MS = 60_000;

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

function counterOf(keepDays: number | null = null, timings = {}): EmailCounter {
  return new EmailCounter({
    database: db.database,
    keepDays,
    logger: pino({ enabled: false }),
    timings: { rest: 0, ...timings },
  });
}

/** Inserts an email accepted at this time, with one recipient per outcome. The outcome null means that the recipient is still queued. */
async function send(
  projectId: string,
  time: Date,
  outcomes: readonly ((typeof OUTCOMES)[number] | null)[],
): Promise<EmailKey> {
  const recipients = outcomes.map((_, at) => `b${at}@dst.test`);
  // After the restart, an ID can have an earlier time than the previous ID.
  restartIds();
  const email = newEmail({ projectId, emailId: newUuid(time.getTime()), to: recipients, recipients });
  await insertEmails(db.database, [email]);
  const events = outcomes.flatMap((type, at) =>
    type === null ? [] : [newEvent(type, at, recipients[at] ?? '')],
  );
  if (events.length > 0)
    await db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
  return email;
}

function hoursOf(projectId: string) {
  return db.database
    .selectFrom('emailCounts')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('hour')
    .execute();
}

function setNext(projectId: string, nextAt: Date) {
  return db.database.updateTable('emailCounts').set({ nextAt }).where('projectId', '=', projectId).execute();
}

const makeDue = (projectId: string) => setNext(projectId, new Date(0));
const postpone = (projectId: string) => setNext(projectId, new Date(Date.now() + DAY_MS));

test('the counts of an hour are the outcomes of the emails accepted in this hour', async () => {
  const email = fc.record({
    hoursAgo: fc.integer({ min: 0, max: 60 }),
    outcomes: fc.array(fc.option(fc.constantFrom(...OUTCOMES)), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(email, { maxLength: 12 }), async (emails) => {
      const id = await newProject(db.database);
      const nowMs = Date.now();
      for (const { hoursAgo, outcomes } of emails)
        await send(id, new Date(nowMs - hoursAgo * HOUR_MS), outcomes);
      await using counter = counterOf();
      await counter.scan();
      const all = emails.flatMap(({ outcomes }) => outcomes);
      const withOutcome = (...wanted: (string | null)[]) =>
        all.filter((outcome) => wanted.includes(outcome)).length;
      const expected = {
        emails: emails.length,
        recipients: all.length,
        delivered: withOutcome('delivered', 'opened', 'clicked', 'complained'),
        opened: withOutcome('opened', 'clicked'),
        clicked: withOutcome('clicked'),
        failed: withOutcome('failed'),
        bounced: withOutcome('bounced'),
        complained: withOutcome('complained'),
      };
      const counted = await hoursOf(id);
      for (const [name, value] of Object.entries(expected))
        assert.equal(
          counted.reduce((sum, row) => sum + row[name as keyof typeof expected], 0),
          value,
          name,
        );
      const hours = new Set(
        emails.map(({ hoursAgo }) => hourOf(new Date(nowMs - hoursAgo * HOUR_MS)).getTime()),
      );
      assert.deepEqual(new Set(counted.map(({ hour }) => hour.getTime())), hours);
    }),
    { numRuns: 6 },
  );
});

test('an hour is counted if its only email is committed after the next hour has a row', async () => {
  const id = await newProject(db.database);
  const hour = hourOf(new Date()).getTime();
  await send(id, new Date(hour - 3 * HOUR_MS), ['delivered']);
  await using counter = counterOf();
  await counter.scan();
  await send(id, new Date(hour), ['delivered']);
  await counter.scan();
  await send(id, new Date(hour - 1), ['delivered']);
  await counter.scan();
  assert.deepEqual(
    (await hoursOf(id)).map(({ hour: at, emails }) => [hour - at.getTime(), emails]),
    [
      [3 * HOUR_MS, 1],
      [HOUR_MS, 1],
      [0, 1],
    ],
  );
});

test('an hour is counted each minute while it runs and at first after its end', async () => {
  // Ten in the morning of yesterday.
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 14 * HOUR_MS;
  const minutes = [2, 30, 58, 59, 60, 62, 64, 80, 180] as const;
  const id = await newProject(db.database);
  mock.timers.enable({ apis: ['Date'], now: startMs + MINUTE_MS });
  try {
    await send(id, new Date(startMs + MINUTE_MS), ['delivered']);
    const waits: number[] = [];
    for (const minute of minutes) {
      mock.timers.setTime(startMs + minute * MINUTE_MS);
      await using counter = counterOf();
      await makeDue(id);
      await counter.scan();
      const [hour] = await hoursOf(id);
      waits.push(((hour?.nextAt.getTime() ?? 0) - Date.now()) / MINUTE_MS);
    }
    assert.deepEqual(waits, [1, 1, 1, 1, 1, 1, 1, 5, 30]);
  } finally {
    mock.timers.reset();
  }
});

test('numbers are as old as the oldest count that may lack emails', async () => {
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 14 * HOUR_MS;
  const id = await newProject(db.database);
  const from = new Date(startMs);
  const until = new Date(startMs + DAY_MS);
  /** Minutes since the start of the first hour. */
  const freshness = async () => {
    const { countedAt, outcomesAt } = await readFreshness(db.database, {
      projectId: id,
      from,
      until,
      retained: from,
    });
    return [countedAt, outcomesAt].map((time) => time && (time.getTime() - startMs) / MINUTE_MS);
  };
  const at = (minute: number) => mock.timers.setTime(startMs + minute * MINUTE_MS);
  mock.timers.enable({ apis: ['Date'], now: startMs });
  try {
    at(50);
    assert.deepEqual(await freshness(), [50, 50], 'no emails');
    await send(id, new Date(), ['delivered']);
    assert.deepEqual(await freshness(), [null, null], 'an email, no count');
    at(58);
    await using counter = counterOf();
    await counter.scan();
    assert.deepEqual(await freshness(), [58, 58], 'counted just now');
    at(61);
    await send(id, new Date(), ['delivered']);
    assert.deepEqual(await freshness(), [58, 58], 'an email in an hour without counts');
    await postpone(id);
    await counter.scan();
    assert.equal((await hoursOf(id)).length, 2);
    assert.deepEqual(await freshness(), [58, 58], 'the hour before was not counted after its end');
    at(63);
    await makeDue(id);
    await counter.scan();
    assert.deepEqual(await freshness(), [63, 63], 'both hours counted');
    at(110);
    assert.deepEqual(await freshness(), [63, 63], 'no worker, and the hour is not over');
    await makeDue(id);
    at(125);
    await counter.scan();
    at(600);
    assert.deepEqual(await freshness(), [600, 125], 'no email since the last count');
    await send(id, new Date(), ['delivered']);
    assert.deepEqual(await freshness(), [120, 120], 'no worker, and an email since the last count');
    await counter.scan();
    const isOf = (minute: number) => sql<boolean>`hour = ${new Date(startMs + minute * MINUTE_MS)}`;
    await db.database
      .updateTable('emailCounts')
      .set({ countedAt: new Date(startMs + 90 * MINUTE_MS) })
      .where('projectId', '=', id)
      .where(isOf(60))
      .execute();
    assert.deepEqual(await freshness(), [90, 90], 'an earlier hour was not counted after its end');
    await db.database
      .updateTable('emailCounts')
      .set({ metricsAt: null })
      .where('projectId', '=', id)
      .where(isOf(60))
      .execute();
    assert.deepEqual(await freshness(), [60, 60], 'an earlier hour was never counted');
  } finally {
    mock.timers.reset();
  }
});

test('an hour is counted soon after one of its emails changed', async () => {
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 14 * HOUR_MS;
  const id = await newProject(db.database);
  const at = (minute: number) => mock.timers.setTime(startMs + minute * MINUTE_MS);
  const dueIn = async () =>
    ((await hoursOf(id))[0]?.nextAt.getTime() ?? 0) / MINUTE_MS - Date.now() / MINUTE_MS;
  mock.timers.enable({ apis: ['Date'], now: startMs });
  try {
    const email = await send(id, new Date(startMs), ['delivered']);
    const change = async (type: 'opened' | 'clicked' | 'complained') => {
      const events = [newEvent(type, 0, 'b0@dst.test')];
      await db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
      // A note waits for one call, because its transaction may not have ended.
      await markHours(db.database);
      const early = await dueIn();
      await markHours(db.database);
      return early;
    };
    await using counter = counterOf();
    at(180);
    await counter.scan();
    assert.equal(await dueIn(), 30);
    at(200);
    assert.equal(await change('opened'), 10);
    assert.equal(await dueIn(), 0);
    await counter.scan();
    assert.partialDeepStrictEqual((await hoursOf(id))[0], { opened: 1, clicked: 0 });
    // Changes do not make an hour due each time.
    at(201);
    await change('clicked');
    assert.ok(Math.abs((await dueIn()) - 13.1) < 0.01);
    at(215);
    await counter.scan();
    assert.partialDeepStrictEqual((await hoursOf(id))[0], { clicked: 1, complained: 0 });
    // A count in progress holds the row. The send path never waits for it, and neither does the mark.
    at(235);
    await db.database.transaction().execute(async (tx) => {
      await tx.updateTable('emailCounts').set({ failed: 0 }).where('projectId', '=', id).execute();
      await change('complained');
    });
    assert.ok((await dueIn()) > 15);
    await setNext(id, new Date(Date.now() + 60 * MINUTE_MS));
    await change('complained');
    assert.equal(await dueIn(), 60, 'an hour whose count took long');
    await setNext(id, new Date(Date.now() + 17 * MINUTE_MS));
    await db.database
      .updateTable('emailCounts')
      .set({ recipients: 5_001 })
      .where('projectId', '=', id)
      .execute();
    await change('complained');
    assert.ok((await dueIn()) > 15, 'an hour with many recipients');
  } finally {
    mock.timers.reset();
  }
});

test('the newest hours are counted first, even if hours of another project have been due for longer', async () => {
  const [busy, other] = [await newProject(db.database), await newProject(db.database)];
  const nowMs = Date.now();
  for (const hoursAgo of [30, 50]) await send(busy, new Date(nowMs - hoursAgo * HOUR_MS), ['delivered']);
  await send(other, new Date(nowMs), ['delivered']);
  await using counter = counterOf();
  await counter.scan();
  await makeDue(busy);
  await setNext(other, new Date(nowMs));
  await counter.scan();
  const newest = (await hoursOf(other))[0]?.countedAt ?? Infinity;
  assert.ok((await hoursOf(busy)).every(({ countedAt }) => countedAt > newest));
});

test('an hour is counted for the last time at the age of 35 days', async () => {
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
  const id = await newProject(db.database);
  mock.timers.enable({ apis: ['Date'], now: startMs });
  try {
    const email = await send(id, new Date(startMs), ['delivered']);
    await using counter = counterOf();
    const endMs = startMs + HOUR_MS;
    mock.timers.setTime(endMs + 30 * DAY_MS);
    await counter.scan();
    assert.equal((await hoursOf(id))[0]?.nextAt.getTime(), endMs + 35 * DAY_MS);
    const events = [newEvent('complained', 0, 'b0@dst.test')];
    await db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
    mock.timers.setTime(endMs + 35 * DAY_MS + MINUTE_MS);
    await counter.scan();
    assert.partialDeepStrictEqual((await hoursOf(id))[0], { complained: 1, nextAt: Infinity });
  } finally {
    mock.timers.reset();
  }
});

test('later outcomes of an email are added to the hour of the email at the next due count', async () => {
  const id = await newProject(db.database);
  const time = new Date(Date.now() - 2 * HOUR_MS);
  await send(id, time, ['delivered']);
  await using counter = counterOf();
  await counter.scan();
  await send(id, time, ['bounced']);
  await counter.scan();
  assert.equal((await hoursOf(id))[0]?.bounced, 0);
  await makeDue(id);
  await counter.scan();
  const [hour] = await hoursOf(id);
  assert.partialDeepStrictEqual(hour, { emails: 2, delivered: 1, bounced: 1 });
  assert.ok((hour?.nextAt.getTime() ?? 0) > Date.now() + HOUR_MS / 5);
});

test('counts remain after the emails are deleted', async () => {
  const id = await newProject(db.database);
  await send(id, new Date(Date.now() - 10 * DAY_MS), ['delivered']);
  await using counter = counterOf();
  await counter.scan();
  await db.database.deleteFrom('emails').where('projectId', '=', id).execute();
  await makeDue(id);
  await using strict = counterOf(7);
  await strict.scan();
  assert.partialDeepStrictEqual((await hoursOf(id))[0], { emails: 1, delivered: 1, nextAt: Infinity });
});

test('a pass is complete only if its time was long enough', async () => {
  await using counter = counterOf();
  assert.ok(await counter.scan());
  await using hasty = counterOf(null, { maxPassMs: 0 });
  assert.equal(await hasty.scan(), false);
});
