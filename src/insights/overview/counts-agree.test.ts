/** The pages of the dashboard count the same emails. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
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
import { hourOf } from '../counts/count-hour.ts';
import { EmailCounter } from '../counts/email-counter.ts';
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

async function count(): Promise<void> {
  await using counter = new EmailCounter({
    database: db.database,
    keepDays: null,
    logger: pino({ enabled: false }),
    timings: { rest: 0 },
  });
  await counter.scan();
}

async function makeDue(projectId: string, time: Date): Promise<void> {
  await db.database
    .updateTable('emailCounts')
    .set({ nextAt: new Date(0) })
    .where('projectId', '=', projectId)
    .where('hour', '=', hourOf(time))
    .execute();
}

/** The numbers of one range on Start and on Metrics, in the same form. */
async function pagesOf(projectId: string, range: (typeof RANGES)[number]) {
  const start = await readOverview(db.database, projectId, range, {
    trustsManualVerification: false,
    keepDays: null,
  });
  const { all } = await readCharts(db.database, projectId, range, 'tag', null);
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
        await count();
        // Emails disappear by retention and by erasure.
        await db.database.updateTable('projects').set({ keepDays }).where('id', '=', id).execute();
        if (keepDays !== null)
          await db.database
            .deleteFrom('emails')
            .where('projectId', '=', id)
            .where('id', '<', firstUuidAt(new Date(nowMs - keepDays * DAY_MS)))
            .execute();
        if (isRaised)
          await db.database.updateTable('projects').set({ keepDays: null }).where('id', '=', id).execute();
        const erased = emails[0] !== undefined && emails[0].hoursAgo < 1 ? 1 : 0;
        if (erased === 1) {
          await eraseEmail(db.database, id, ids[0] ?? '');
          await makeDue(id, new Date(nowMs));
          await count();
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
    { numRuns: 12 },
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
  await count();
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
