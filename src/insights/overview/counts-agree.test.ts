/** The pages of the dashboard count the same emails. */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { DIMENSIONS } from '../../model/dimensions.ts';
import { firstUuidAt, newUuid, restartIds } from '../../model/ids.ts';
import { eraseEmail } from '../../retention/erase.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { recordEvents } from '../../sending/events/record-events.ts';
import { countEmails } from '../../../test/support/count-emails.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import { readCharts, stepsOf } from './metrics.ts';
import { readOverview } from './overview.ts';
import { readPlanUsage } from './plan-usage.ts';

const RANGES = ['24h', '7d', '30d'] as const;
const OUTCOMES = ['delivered', 'opened', 'clicked', 'failed', 'bounced', 'complained'] as const;

interface Sent {
  hoursAgo: number;
  outcome: (typeof OUTCOMES)[number] | null;
  tag: string;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  hoursAgo: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 32 * 24 })),
  outcome: fc.option(fc.constantFrom(...OUTCOMES)),
  tag: fc.constantFrom('welcome', 'receipt', ''),
});

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function send(projectId: string, nowMs: number, emails: readonly Sent[]): Promise<string[]> {
  const made = emails.map(({ hoursAgo, outcome, tag }) => {
    // After the restart, an ID can have an earlier time than the previous ID.
    restartIds();
    const emailId = newUuid(nowMs - hoursAgo * HOUR_MS);
    const to = ['b@dst.test'];
    const email = newEmail({ projectId, emailId, to, recipients: to, tags: tag === '' ? [] : [tag] });
    return { email, events: outcome === null ? [] : [newEvent(outcome, 0, 'b@dst.test')] };
  });
  restartIds();
  await insertEmails(
    db.database,
    made.map(({ email }) => email),
  );
  const changes = made.map(({ email, events }) => ({ ...email, events }));
  await db.database.transaction().execute((tx) => recordEvents(tx, changes));
  return made.map(({ email }) => email.emailId);
}

/** Makes all hours due that are still recounted. */
async function makeDue(projectId: string): Promise<void> {
  await db.database
    .updateTable('emailCounts')
    .set({ nextAt: new Date(0) })
    .where('projectId', '=', projectId)
    .where(sql<boolean>`next_at <> 'infinity'`)
    .execute();
}

/** The numbers of one range on Start and on Metrics, in the same form. */
async function pagesOf(projectId: string, range: (typeof RANGES)[number]) {
  const start = await readOverview(db.database, projectId, range, null);
  const { all } = await readCharts(
    (statement) => statement(db.database),
    projectId,
    { range, by: 'tag' },
    null,
  );
  const { total } = all;
  return {
    start: start.total,
    startSteps: start.steps.reduce((sum, { emails }) => sum + emails, 0),
    metrics: {
      emails: total.emails,
      recipients: total.recipients,
      delivered: total.delivered,
      opened: total.opened_by_people + total.opened_by_machines,
      clicked: total.clicked,
      failed: total.failed,
      bounced: total.bounced_hard + total.bounced_soft,
      complained: total.complained,
    },
    metricsSteps: all.steps.emails.reduce((sum, emails) => sum + emails, 0),
  };
}

test('Start, Metrics and Usage count the same emails, whether or not they still exist', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(null, 1, 4, 12),
      fc.boolean(),
      async (emails, keepDays, isRaised) => {
        const id = await newProject(db.database);
        const nowMs = Date.now();
        const ids = await send(id, nowMs, emails);
        await countEmails(db.database);
        // Emails disappear by retention and by erasure.
        await db.database.updateTable('projects').set({ keepDays }).where('id', '=', id).execute();
        if (keepDays !== null)
          await db.database
            .deleteFrom('emails')
            .where('projectId', '=', id)
            .where('id', '<', firstUuidAt(new Date(nowMs - keepDays * DAY_MS)))
            .execute();
        if (isRaised) {
          await db.database.updateTable('projects').set({ keepDays: null }).where('id', '=', id).execute();
          await makeDue(id);
          await countEmails(db.database);
        }
        const erased = emails[0] !== undefined && emails[0].hoursAgo < 1 ? 1 : 0;
        if (erased === 1) {
          await eraseEmail(db.database, id, ids[0] ?? '');
          await makeDue(id);
          await countEmails(db.database);
        }
        for (const range of RANGES) {
          const pages = await pagesOf(id, range);
          assert.deepEqual(pages.start, pages.metrics, range);
          const { from } = stepsOf(range);
          const expected = emails.filter(({ hoursAgo }) => nowMs - hoursAgo * HOUR_MS >= from.getTime());
          assert.equal(pages.start.emails, expected.length - erased, range);
          assert.equal(pages.startSteps, pages.start.emails, range);
          assert.equal(pages.metricsSteps, pages.start.emails, range);
        }
        const { days } = await readPlanUsage(db.database, id, null);
        const { start } = await pagesOf(id, '30d');
        assert.equal(
          days.reduce((sum, { emails: each }) => sum + each, 0),
          start.emails,
        );
      },
    ),
    {
      numRuns: 12,
      examples: [
        [[300, 290, 200, 100].map((hoursAgo): Sent => ({ hoursAgo, outcome: 'opened', tag: '' })), 12, true],
      ],
    },
  );
});

test('emails that are counted for the request are not counted twice, wherever the stored counts end', async () => {
  const id = await newProject(db.database);
  const nowMs = Date.now();
  const hours = [0, 0, 1, 2, 5, 9, 26, 27, 49, 50, 60, 75, 76, 100, 200, 201, 400, 600];
  await send(
    id,
    nowMs,
    hours.map((hoursAgo, at) => ({
      hoursAgo,
      outcome: OUTCOMES[at % OUTCOMES.length] ?? null,
      tag: at % 2 === 0 ? 'welcome' : '',
    })),
  );
  await countEmails(db.database);
  const read = async (
    range: '24h' | '7d' | '30d' | '90d',
    maxLive: number,
    by: (typeof DIMENSIONS)[number],
  ) => {
    const query = { projectId: id, by, ...stepsOf(range), keepDays: null, maxLive };
    const { all, parts } = await readMetrics(db.database, query);
    return { all, parts };
  };
  for (const range of ['24h', '7d', '30d', '90d'] as const)
    for (const by of DIMENSIONS) {
      const live = await read(range, hours.length, by);
      for (const maxLive of [0, 1, 2, 5, 7, 9, 12, 17])
        assert.deepEqual(await read(range, maxLive, by), live, `${range} ${by} ${maxLive}`);
    }
});

test('numbers do not vanish if no worker runs for days', async () => {
  const id = await newProject(db.database);
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  mock.timers.enable({ apis: ['Date'], now: startMs + 23 * HOUR_MS });
  try {
    const each = { outcome: 'delivered', tag: 'welcome' } as const;
    const emails = [1, 3, 20, 30, 100].map((hoursAgo) => ({ hoursAgo, ...each }));
    await send(id, Date.now(), emails);
    await countEmails(db.database);
    for (const days of [0, 1, 2, 3, 9]) {
      mock.timers.setTime(startMs + days * DAY_MS + 23 * HOUR_MS);
      for (const by of ['all', 'tag'] as const) {
        const query = { projectId: id, by, ...stepsOf('30d'), keepDays: null, maxLive: 0 };
        const { all, parts } = await readMetrics(db.database, query);
        for (const { total, steps } of by === 'all' ? [all ?? assert.fail()] : parts) {
          assert.equal(total.delivered, emails.length, `${days} days, ${by}`);
          assert.equal(steps.size, 3, `${days} days, ${by}`);
        }
      }
    }
  } finally {
    mock.timers.reset();
  }
});

test('the first email after a quiet period is counted at once', async () => {
  const id = await newProject(db.database);
  const nowMs = Date.now();
  await send(id, nowMs, [{ hoursAgo: 10 * 24, outcome: 'delivered', tag: '' }]);
  await countEmails(db.database);
  await db.database.updateTable('projects').set({ keepDays: 7 }).where('id', '=', id).execute();
  await db.database.deleteFrom('emails').where('projectId', '=', id).execute();
  await send(id, nowMs, [{ hoursAgo: 0, outcome: 'bounced', tag: '' }]);
  const { start } = await pagesOf(id, '30d');
  assert.partialDeepStrictEqual(start, { emails: 2, delivered: 1, bounced: 1 });
});

test('outcomes after 35 days count in no project, and older emails without stored counts are counted at once', async () => {
  const id = await newProject(db.database);
  const nowMs = Date.now();
  const [late = ''] = await send(id, nowMs, [{ hoursAgo: 40 * 24, outcome: 'delivered', tag: '' }]);
  await countEmails(db.database);
  const bounce = [newEvent('bounced', 0, 'b@dst.test')];
  await db.database
    .transaction()
    .execute((tx) => recordEvents(tx, [{ projectId: id, emailId: late, events: bounce }]));
  const read = async (maxLive: number) => {
    const query = { projectId: id, by: 'all', ...stepsOf('90d'), keepDays: null, maxLive } as const;
    return (await readMetrics(db.database, query)).all?.total;
  };
  const stored = await read(0);
  assert.partialDeepStrictEqual(stored, { emails: 1, delivered: 1, bouncedSoft: 0 });
  assert.deepEqual(await read(10), stored);
  await send(id, nowMs, [{ hoursAgo: 38 * 24, outcome: 'delivered', tag: '' }]);
  assert.partialDeepStrictEqual(await read(10), { emails: 2, delivered: 2, bouncedSoft: 0 });
});
