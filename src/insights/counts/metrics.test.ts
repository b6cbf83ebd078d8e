import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { Dimension } from '../../model/dimensions.ts';
import type { TimelineType } from '../../model/email-status.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import type { Stream } from '../../model/streams.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import { type NewEvent, recordEvents } from '../../sending/events/record-events.ts';
import { countEmails } from '../../../test/support/count-emails.ts';
import { readMetrics } from './read-metrics.ts';
import { dayOf } from './write-metrics.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

interface SentEmail {
  projectId: string;
  daysAgo?: number;
  from?: string;
  to?: string[];
  tags?: string[];
  stream?: Stream;
  /** The events of the recipients, such as an open or a bounce. */
  events?: NewEvent[];
}

async function send({ projectId, daysAgo = 0, events = [], ...given }: SentEmail) {
  const time = dayOf(new Date()).getTime() - daysAgo * DAY_MS + (daysAgo === 0 ? 0 : 10 * HOUR_MS);
  const { from = 'hello@acme.example', to = ['b@dst.test'], tags = [], stream = 'transactional' } = given;
  // IDs increase within a process even if the test sets an earlier time, so start the sequence again.
  restartIds();
  const email = newEmail({
    projectId,
    emailId: newUuid(time),
    sender: from,
    senderAddress: from,
    to,
    tags,
    stream,
    recipients: to,
  });
  restartIds();
  await insertEmails(db.database, [email]);
  if (events.length > 0) await record(email, events);
  return email;
}

function record(email: { projectId: string; emailId: string }, events: NewEvent[]): Promise<void> {
  return db.database.transaction().execute((tx) => recordEvents(tx, [{ ...email, events }]));
}

const event = (type: TimelineType, at = 0, recipient = 'b@dst.test') => newEvent(type, at, recipient);

function opened(isMachine: boolean, recipient = 'b@dst.test'): NewEvent {
  const detail = { recipient, ip: null, user_agent: null, is_machine: isMachine };
  return { type: 'opened', detail, recipientIndex: 0, recipient };
}

function hardBounce(): NewEvent {
  const soft = newEvent('bounced', 0, 'b@dst.test') as NewEvent<'bounced'>;
  return { ...soft, detail: { ...soft.detail, type: 'hard' } };
}

async function countAgain(projectId: string, keepDays: number | null = null): Promise<void> {
  await db.database
    .updateTable('emailCounts')
    .set({ nextAt: new Date(0) })
    .where('projectId', '=', projectId)
    .execute();
  await countEmails(db.database, keepDays);
}

/**
 * The totals of each value of a dimension over a hundred days. `*` has the sum of the values that are not stored by name.
 * @param isStored whether to read the worker's counts alone
 */
async function totals(projectId: string, by: Dimension, isStored = true) {
  const from = new Date(dayOf(new Date()).getTime() - 99 * DAY_MS);
  const keepDays = isStored ? -2 : null;
  const query = { projectId, by, from, stepMs: DAY_MS, steps: 100, keepDays };
  const { all, parts } = await readMetrics(db.database, query);
  const series = by === 'all' && all !== undefined ? [all] : parts;
  return new Map(series.map(({ total }) => [total.isRest ? '*' : total.value, total]));
}

function spansOf(projectId: string, span: 'hour' | 'day') {
  return db.database
    .selectFrom('emailMetrics')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('span', '=', span)
    .execute();
}

test('emails are counted by domain, stream and tag, and by the provider of each recipient', async () => {
  const projectId = await newProject(db.database);
  const [ann, bob] = ['ann@gmail.com', 'bob@acme.example'];
  await send({
    projectId,
    daysAgo: 5,
    from: 'a@one.example',
    to: [ann, bob],
    tags: ['welcome', 'de', 'de'],
    events: [event('delivered', 0, ann), event('failed', 1, bob)],
  });
  await send({
    projectId,
    from: 'a@two.example',
    stream: 'bulk',
    events: [event('delivered'), opened(true)],
  });
  await send({
    projectId,
    from: 'b@two.example',
    tags: ['welcome'],
    events: [event('delivered'), opened(true), opened(false)],
  });
  await send({ projectId, from: 'b@two.example', events: [hardBounce()] });
  await send({ projectId, from: 'b@two.example', events: [event('bounced')] });
  await countEmails(db.database);
  for (const isStored of [true, false]) {
    const all = await totals(projectId, 'all', isStored);
    assert.partialDeepStrictEqual(all.get(''), {
      emails: 5,
      recipients: 6,
      delivered: 3,
      bouncedHard: 1,
      bouncedSoft: 1,
      complained: 0,
      failed: 1,
      openedByPeople: 1,
      openedByMachines: 1,
      clicked: 0,
    });
    const recipients = async (by: Dimension) =>
      Object.fromEntries(
        [...(await totals(projectId, by, isStored))].map(([value, part]) => [value, part.recipients]),
      );
    assert.deepEqual(await recipients('domain'), { 'two.example': 4, 'one.example': 2 });
    assert.deepEqual(await recipients('stream'), { transactional: 5, bulk: 1 });
    assert.deepEqual(await recipients('provider'), { Gmail: 1, '*': 5 });
    assert.deepEqual(await recipients('tag'), { welcome: 3, de: 2, '': 3 });
  }
});

test('a recount changes nothing, and later outcomes are added to the day when the email was accepted', async () => {
  const projectId = await newProject(db.database);
  const email = await send({ projectId, daysAgo: 4, events: [event('delivered')] });
  await countEmails(db.database);
  const before = await spansOf(projectId, 'day');
  await countAgain(projectId);
  assert.deepEqual(await spansOf(projectId, 'day'), before);
  await record(email, [event('complained')]);
  await countAgain(projectId);
  const days = await spansOf(projectId, 'day');
  assert.equal(days.length, before.length);
  assert.ok(days.every(({ delivered, complained }) => delivered === 1 && complained === 1));
});

test('the time from acceptance to delivery is stored', async () => {
  const projectId = await newProject(db.database);
  await send({ projectId, daysAgo: 3, events: [event('delivered')] });
  // The delivery is recorded three days and a few hours after acceptance.
  await countEmails(db.database);
  const part = (await totals(projectId, 'all')).get('');
  assert.equal(
    part?.latency.reduce((sum, each) => sum + each, 0),
    1,
  );
  assert.ok((part?.latency.findIndex((each) => each > 0) ?? 0) >= 31);
});

test('the delivery time of a scheduled email starts at its send time', async () => {
  const projectId = await newProject(db.database);
  const { emailId } = await send({ projectId, daysAgo: 3, events: [event('delivered')] });
  await db.database
    .updateTable('emails')
    .set({ scheduledAt: new Date() })
    .where('id', '=', emailId)
    .execute();
  await countEmails(db.database);
  assert.ok((await totals(projectId, 'all')).get('')?.latency[0] === 1);
});

test('the stored counts name only a limited number of tags, even if each email has unique tags', async () => {
  const projectId = await newProject(db.database);
  const tags = (email: number) => ['common', ...Array.from({ length: 19 }, (_, at) => `t${email}.${at}`)];
  for (let at = 0; at < 15; at += 1) await send({ projectId, daysAgo: 2, tags: tags(at) });
  await countEmails(db.database);
  const byTag = (rows: Awaited<ReturnType<typeof spansOf>>) =>
    rows.filter(({ dimension }) => dimension === 'tag');
  assert.equal(byTag(await spansOf(projectId, 'hour')).length, 101);
  const days = byTag(await spansOf(projectId, 'day'));
  assert.equal(days.length, 26);
  assert.equal(
    days.reduce((sum, { recipients }) => sum + recipients, 0),
    15 * 20,
  );
  assert.equal(days.find(({ value }) => value === 'common')?.recipients, 15);
});

test('emails that were counted only as totals are also counted by dimension later, however old they are', async () => {
  const projectId = await newProject(db.database);
  await send({ projectId, daysAgo: 60, events: [event('delivered')] });
  await countEmails(db.database);
  await db.database.deleteFrom('emailMetrics').where('projectId', '=', projectId).execute();
  // Restore the state in which an earlier version left the counts.
  await sql`update email_counts set metrics_at = null, next_at = 'infinity' where project_id = ${projectId}`.execute(
    db.database,
  );
  await countEmails(db.database);
  assert.equal((await totals(projectId, 'all')).get('')?.delivered, 1);
});

test('when emails are deleted, the next count deletes their hourly counts by dimension and retains their daily counts', async () => {
  const projectId = await newProject(db.database);
  await send({ projectId, daysAgo: 20, tags: ['welcome'], events: [event('delivered')] });
  await countEmails(db.database);
  assert.ok((await spansOf(projectId, 'hour')).length > 0);
  await db.database.deleteFrom('emails').where('projectId', '=', projectId).execute();
  await countAgain(projectId, 7);
  assert.equal((await spansOf(projectId, 'hour')).length, 0);
  assert.equal((await totals(projectId, 'tag')).get('welcome')?.delivered, 1);
});
