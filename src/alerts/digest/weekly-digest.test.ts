import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { countEmails } from '../../../test/support/count-emails.ts';
import { readCharts } from '../../insights/overview/metrics.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { type NewEvent, recordEvents } from '../../sending/events/record-events.ts';
import { readWeek } from './weekly-digest.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

async function send(
  projectId: string,
  daysAgo: number,
  to: string,
  eventsOf: (recipient: string) => NewEvent[] = (recipient) => [newEvent('delivered', 0, recipient)],
): Promise<void> {
  restartIds();
  const sender = 'hello@acme.example';
  const email = newEmail({
    projectId,
    emailId: newUuid(TODAY - daysAgo * DAY_MS + (daysAgo === 0 ? 0 : 10 * HOUR_MS)),
    sender,
    senderAddress: sender,
    to: [to],
    recipients: [to],
  });
  restartIds();
  await insertEmails(db.database, [email]);
  const { emailId } = email;
  await db.database
    .transaction()
    .execute((tx) => recordEvents(tx, [{ projectId, emailId, events: eventsOf(to) }]));
}

const bounced = (category: BounceCategory) => (recipient: string) => {
  const event = newEvent('bounced', 0, recipient) as NewEvent<'bounced'>;
  return [{ ...event, detail: { ...event.detail, category } }];
};

const weekOf = (projectId: string, dueAt = new Date(TODAY + 7 * HOUR_MS)) =>
  readWeek(db.database, { projectId, dueAt, keepDays: null });

for (const isCounted of [false, true])
  test(`the weeks of a digest have the numbers of the metrics page, ${isCounted ? 'counted by a worker' : 'not counted yet'}`, async () => {
    const projectId = await newProject(db.database);
    const other = await newProject(db.database);
    for (const [daysAgo, to, events] of [
      [0, 'today@gmail.com'],
      [1, 'a@gmail.com'],
      [1, 'b@gmail.com', bounced('mailbox_full')],
      [2, 'c@gmail.com', bounced('unknown_user')],
      [7, 'd@dst.test', bounced('unknown_user')],
      [8, 'e@dst.test'],
      [14, 'f@dst.test', bounced('policy')],
      [15, 'g@dst.test'],
    ] as const)
      await send(projectId, daysAgo, to, events);
    await send(other, 1, 'x@gmail.com', bounced('policy'));
    if (isCounted) await countEmails(db.database);
    const digest = await weekOf(projectId);
    assert.ok(digest !== null);
    const charts = await readCharts(
      (read) => read(db.database),
      projectId,
      { range: '30d', by: 'all' },
      null,
    );
    for (const [week, first] of [
      [digest.week, 7],
      [digest.before, 14],
    ] as const) {
      const days = charts.steps.flatMap((day, at) => {
        const daysAgo = (TODAY - Date.parse(day)) / DAY_MS;
        return daysAgo > first - 7 && daysAgo <= first ? [at] : [];
      });
      assert.equal(days.length, 7);
      const sum = (of: readonly number[]) => days.reduce((total, at) => total + (of[at] ?? 0), 0);
      const { emails, recipients, delivered, bounced_hard, bounced_soft, complained } = charts.all.steps;
      assert.deepEqual(
        [week.emails, week.recipients, week.delivered, week.bounced, week.complained],
        [
          sum(emails),
          sum(recipients),
          sum(delivered),
          sum(bounced_hard) + sum(bounced_soft),
          sum(complained),
        ],
      );
    }
    assert.deepEqual([digest.week.emails, digest.before.emails], [4, 2]);
    assert.deepEqual(digest.reasons, [
      { category: 'unknown_user', count: 2 },
      { category: 'mailbox_full', count: 1 },
    ]);
    assert.deepEqual(digest.providers, [
      { name: 'Gmail', bounced: 2, recipients: 3 },
      { name: '', bounced: 1, recipients: 1 },
    ]);
    assert.deepEqual(
      [digest.from, digest.until],
      [new Date(TODAY - 7 * DAY_MS).toISOString(), new Date(TODAY).toISOString()],
    );
  });

test('a digest that is sent a day late is about the same week', async () => {
  const projectId = await newProject(db.database);
  for (const daysAgo of [0, 1, 2, 9]) await send(projectId, daysAgo, 'a@dst.test');
  const digest = await weekOf(projectId, new Date(TODAY - DAY_MS + 7 * HOUR_MS));
  assert.deepEqual([digest?.week.emails, digest?.before.emails], [1, 1]);
});

test('a project without emails in both weeks has no digest', async () => {
  const projectId = await newProject(db.database);
  for (const daysAgo of [0, 15]) await send(projectId, daysAgo, 'a@dst.test');
  assert.equal(await weekOf(projectId), null);
  await send(projectId, 14, 'a@dst.test');
  assert.equal((await weekOf(projectId))?.week.emails, 0);
});
