import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newEmail } from '../../test/support/emails.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { newWebhook, setDeliveries } from '../../test/support/webhooks.ts';
import { readUsage } from '../accounts/usage.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { openDatabase } from '../db/database.ts';
import { listPartitions } from '../db/partition-changes.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { insertEmails, type NewEmail, storedBytes } from '../sending/accept/insert-emails.ts';
import { createTemplate } from '../templates/save-template.ts';
import { insertWithinLimits } from '../sending/accept/insert-within-limits.ts';
import { requeue } from '../sending/deliver/requeue.ts';
import { getEmail } from '../sending/read/get-email.ts';
import { BATCH } from './deleting.ts';
import {
  deletingBodies,
  deletingEmails,
  findRetainingProjects,
  firstRetainedId,
} from './retention-of-projects.ts';
import { dropOld } from './retention-of-instance.ts';
import { RetentionRole } from './retention.ts';
import { TIMINGS } from './timings.ts';

const HASTY = { ...TIMINGS, pauseMs: 0, commitMs: 0 };
/** An object store that is always empty. */
const NO_OBJECTS = new ObjectFiles('/nowhere/blobs');
let db: Awaited<ReturnType<typeof sealedDatabase>>;
before(async () => {
  db = await sealedDatabase();
  // Creates one partition per day for the next seven days.
  await ensurePartitions(db.database, 7);
});
after(() => db[Symbol.asyncDispose]());

function idFrom(daysAgo: number): string {
  return firstUuidAt(new Date(Date.now() - daysAgo * DAY_MS)).slice(0, 19) + newUuid().slice(19);
}

/** Runs one retention pass, as a worker does. */
async function runPass(logger = pino({ enabled: false }), timings = HASTY): Promise<boolean> {
  const database = openDatabase(db.url, { poolSize: 1 });
  try {
    await using retention = new RetentionRole({
      database,
      keepDays: null,
      objects: NO_OBJECTS,
      logger,
      timings,
    });
    return await retention.scan();
  } finally {
    await database.destroy();
  }
}

type RetentionDays = { keepDays?: number | null; keepBodiesDays?: number | null };
async function keep(projectId: string, kept: RetentionDays): Promise<void> {
  await db.database.updateTable('projects').set(kept).where('id', '=', projectId).execute();
}

/** Deletes the queue row of one recipient of an email, as if all work for this recipient were finished. */
async function end(emailId: string, recipientIndex = 0): Promise<void> {
  await db.database
    .deleteFrom('queue')
    .where('emailId', '=', emailId)
    .where('recipientIndex', '=', recipientIndex)
    .execute();
}

async function storageOf(projectId: string): Promise<number> {
  return (await readUsage(db.database, projectId, monthOf(new Date()))).storageBytes;
}

const TABLES = [
  'email_contents',
  'email_recipients',
  'queue',
  'events',
  'email_tags',
  'deliveries',
  'due_deliveries',
  'sandbox_messages',
];

/** The number of rows of an email, per table. */
async function rowsOf(emailId: string): Promise<number[]> {
  const counts = TABLES.map(
    (table) => sql`(select count(*)::int from ${sql.table(table)} where email_id = ${emailId})`,
  );
  const { rows } = await sql<{ counts: number[] }>`
    select array[(select count(*)::int from emails where id = ${emailId}), ${sql.join(counts)}] as counts`.execute(
    db.database,
  );
  return rows[0]?.counts ?? [];
}

/** Creates a template for each email, of which the email is the last use. */
async function noteUses(projectId: string, emails: readonly NewEmail[]): Promise<void> {
  for (const { emailId } of emails) {
    const fields = { name: emailId, subject: '', html: '', text: 'x' };
    const { id: templateId } = await createTemplate(db.database, projectId, fields);
    await db.database
      .insertInto('templateUses')
      .values({ projectId, templateId, emailId, variables: '{}' })
      .execute();
  }
}

/** A random email: its age, and its pending work. */
const anEmail = fc.record({
  daysAgo: fc.constantFrom(0, 29, 31, 40, 400),
  recipients: fc.array(fc.constantFrom('ended', 'due', 'parked', 'in-flight'), {
    minLength: 1,
    maxLength: 3,
  }),
  delivery: fc.constantFrom('none', 'delivered', 'failed', 'pending'),
  tags: fc.subarray(['a', 'b']),
  text: fc.constantFrom(null, 'ü', 'x'.repeat(9_000)),
  headers: fc.constantFrom(null, { 'X-Order': '4711' }),
});
type EmailState = typeof anEmail extends fc.Arbitrary<infer T> ? T : never;

async function store(projectId: string, state: EmailState): Promise<NewEmail> {
  const recipients = state.recipients.map((_, at) => `r${at}@dst.test`);
  const email = newEmail({
    projectId,
    emailId: idFrom(state.daysAgo),
    recipients,
    to: recipients,
    tags: state.tags,
    text: state.text,
    headers: state.headers,
  });
  await insertEmails(db.database, [email]);
  const { emailId } = email;
  for (const [recipientIndex, left] of state.recipients.entries()) {
    if (left === 'ended') {
      await end(emailId, recipientIndex);
      continue;
    }
    await db.database
      .updateTable('queue')
      .set({
        nextAttemptAt: sql<Date>`${left === 'parked' ? 'infinity' : 'now'}::timestamptz`,
        destination: left === 'parked' ? 'dst.test' : null,
        inFlight: left === 'in-flight',
      })
      .where('emailId', '=', emailId)
      .where('recipientIndex', '=', recipientIndex)
      .execute();
  }
  if (state.delivery === 'none')
    for (const table of ['deliveries', 'dueDeliveries'] as const)
      await db.database.deleteFrom(table).where('emailId', '=', emailId).execute();
  else await setDeliveries(db.database, state.delivery, emailId);
  await db.database
    .insertInto('sandboxMessages')
    .values({ projectId, emailId, message: Buffer.from('x'), createdAt: new Date() })
    .execute();
  return email;
}

test("emails older than the project's retention are deleted with all rows, except emails with pending work", async () => {
  const property = fc.asyncProperty(
    fc.array(anEmail, { minLength: 1, maxLength: 12 }),
    fc.boolean(),
    async (states, hasBodies) => {
      const projectId = await newProject(db.database);
      await newWebhook(db.database, db.sealer, { projectId });
      const other = await newProject(db.database);
      const emails = await Promise.all(states.map((state) => store(projectId, state)));
      const foreign = await store(other, { ...(states[0] as EmailState), daysAgo: 400 });
      const rows = await Promise.all(emails.map(({ emailId }) => rowsOf(emailId)));
      const foreignRows = await rowsOf(foreign.emailId);
      const months = [
        monthOf(new Date()),
        ...emails.map(({ emailId }) => monthOf(new Date(timeMs(emailId)))),
      ];
      const countAll = () =>
        Promise.all(months.map(async (month) => (await readUsage(db.database, projectId, month)).apiEmails));
      const counts = await countAll();
      await keep(projectId, hasBodies ? { keepBodiesDays: 30 } : { keepDays: 30 });
      await runPass();
      const isDeleted = states.map(
        ({ daysAgo, recipients, delivery }) =>
          daysAgo > 30 &&
          recipients.every((left) => left === 'ended') &&
          (hasBodies || delivery !== 'pending'),
      );
      for (const [at, { emailId }] of emails.entries()) {
        const before = rows[at] ?? [];
        const withoutCopy = [...before.slice(0, -1), 0];
        const afterDeletion = hasBodies ? withoutCopy : before.map(() => 0);
        // Sandbox copies are deleted after a week.
        const withoutDeletion = (states[at]?.daysAgo ?? 0) > 7 ? withoutCopy : before;
        assert.deepEqual(
          await rowsOf(emailId),
          isDeleted[at] ? afterDeletion : withoutDeletion,
          JSON.stringify(states[at]),
        );
        if (!hasBodies) continue;
        const shown = await getEmail(db.database, projectId, emailId);
        assert.equal(shown?.bodies_deleted_at !== null, isDeleted[at]);
        assert.equal(shown?.html, isDeleted[at] ? '' : emails[at]?.html);
      }
      const remainingBytes = emails.map((email, at) => {
        if (isDeleted[at] !== true) return storedBytes(email);
        return hasBodies ? storedBytes({ ...email, html: null, text: null }) : 0;
      });
      assert.equal(
        await storageOf(projectId),
        remainingBytes.reduce((sum, bytes) => sum + bytes, 0),
      );
      assert.deepEqual(await countAll(), counts, 'the number of emails of each month is unchanged');
      assert.deepEqual(await rowsOf(foreign.emailId), [...foreignRows.slice(0, -1), 0]);
      await keep(projectId, { keepDays: null, keepBodiesDays: null });
    },
  );
  await fc.assert(property, { numRuns: 10 });
});

function timeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

test('a deletion that stops after a batch is continued by the next pass', async () => {
  const projectId = await newProject(db.database);
  const emails = Array.from({ length: BATCH + 5 }, () => newEmail({ projectId, emailId: idFrom(40) }));
  await insertEmails(db.database, emails);
  for (const { emailId } of emails) await end(emailId);
  const broken = deletingEmails(db.database, projectId, firstRetainedId(30));
  assert.deepEqual(await broken.next(), { value: BATCH, done: false });
  await keep(projectId, { keepBodiesDays: 30 });
  const project = (await findRetainingProjects(db.database)).find(({ id }) => id === projectId);
  assert.ok(project);
  await deletingBodies(db.database, project, firstRetainedId(30)).next();
  assert.equal(await storageOf(projectId), 5 * Buffer.byteLength('Hello'));
  await keep(projectId, { keepBodiesDays: null, keepDays: 30 });
  await runPass();
  assert.equal(await storageOf(projectId), 0);
  await keep(projectId, { keepDays: null });
});

test('a body is deleted only after the last attempt, and the email cannot be sent again', async () => {
  const projectId = await newProject(db.database);
  const email = newEmail({ projectId, recipients: ['a@dst.test', 'b@dst.test'] });
  await insertEmails(db.database, [email]);
  await keep(projectId, { keepBodiesDays: 0 });
  await end(email.emailId, 0);
  await runPass();
  assert.equal((await getEmail(db.database, projectId, email.emailId))?.html, email.html);
  await end(email.emailId, 1);
  await runPass();
  const shown = await getEmail(db.database, projectId, email.emailId);
  assert.deepEqual([shown?.html, shown?.text, shown?.subject], ['', '', email.subject]);
  assert.match(String(shown?.bodies_deleted_at), /^\d{4}-/);
  await db.database
    .updateTable('emailRecipients')
    .set({ crashes: 5 })
    .where('emailId', '=', email.emailId)
    .execute();
  await assert.rejects(requeue(db.database, projectId, email.emailId), /body/);
  await keep(projectId, { keepBodiesDays: null });
});

test('deleted emails still count towards the quota of their month', async () => {
  const projectId = await newProject(db.database, undefined, 'free');
  const emails = Array.from({ length: 100 }, () => newEmail({ projectId, emailId: newUuid() }));
  assert.equal(
    (await insertWithinLimits(db.database, emails)).filter((one) => one === 'accepted').length,
    100,
  );
  for (const { emailId } of emails) await end(emailId);
  for await (const _ of deletingEmails(db.database, projectId, newUuid())) continue;
  assert.equal(await storageOf(projectId), 0);
  assert.deepEqual(await insertWithinLimits(db.database, [newEmail({ projectId })]), ['over-quota']);
});

test('partitions are dropped up to the first partition with pending work, and the usage counts stay', async () => {
  const partitions = (await listPartitions(db.database)).slice(1, 4);
  const ends = partitions.map(({ until }) => timeOf(until ?? ''));
  const projectId = await newProject(db.database);
  await newWebhook(db.database, db.sealer, { projectId });
  const emails = ends.map((end) =>
    newEmail({
      projectId,
      emailId: firstUuidAt(new Date(end.getTime() - 1_000)).slice(0, 19) + newUuid().slice(19),
      text: 'ü',
      headers: { 'X-Order': '4711' },
      tags: ['a'],
    }),
  );
  await insertEmails(db.database, emails);
  const [first, second, third] = emails as [NewEmail, NewEmail, NewEmail];
  for (const { emailId } of emails) await setDeliveries(db.database, 'delivered', emailId);
  await db.database.deleteFrom('queue').where('projectId', '<>', projectId).execute();
  await db.database.deleteFrom('dueDeliveries').where('projectId', '<>', projectId).execute();
  await end(first.emailId);
  await setDeliveries(db.database, 'pending', first.emailId);
  const statements: string[] = [];
  const observed = db.database.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'RawNode') statements.push(JSON.stringify(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const isRead = () => statements.some((statement) => statement.includes('octet_length'));
  const drop = () => dropOld(observed, ends[1] ?? new Date());
  const counts = async () => {
    const months = ends.map((time) =>
      readUsage(db.database, projectId, monthOf(new Date(time.getTime() - 1_000))),
    );
    return (await Promise.all(months)).map(({ apiEmails }) => apiEmails);
  };
  const before = await counts();
  const all = emails.reduce((sum, email) => sum + storedBytes(email), 0);
  await noteUses(projectId, [first, second]);
  await drop();
  assert.equal((await rowsOf(first.emailId))[0], 1);
  await setDeliveries(db.database, 'delivered', first.emailId);
  await db.database.transaction().execute(async (tx) => {
    statements.length = 0;
    // A backup takes the same lock.
    await sql`lock table deliveries in access share mode`.execute(tx);
    assert.equal(await drop(), 'busy');
    assert.equal(isRead(), false, 'a partition that cannot be dropped is not read in full');
  });
  assert.equal((await rowsOf(first.emailId))[0], 1);
  assert.equal(await drop(), 'dropped');
  assert.equal(isRead(), true);
  assert.equal((await rowsOf(first.emailId))[0], 0);
  assert.equal((await rowsOf(second.emailId))[0], 1);
  const uses = db.database.selectFrom('templateUses').select('emailId').where('projectId', '=', projectId);
  assert.deepEqual(await uses.execute(), [{ emailId: second.emailId }]);
  assert.equal(await storageOf(projectId), all - storedBytes(first));
  assert.equal(await drop(), 'nothing');
  await end(second.emailId);
  assert.equal(await drop(), 'dropped');
  assert.deepEqual((await rowsOf(second.emailId)).slice(0, 5), [0, 0, 0, 0, 0]);
  assert.equal((await rowsOf(third.emailId))[0], 1);
  assert.equal(await storageOf(projectId), storedBytes(third));
  assert.deepEqual(await counts(), before);
});

test('sandbox copies are deleted after a week, and their emails stay', async () => {
  const projectId = await newProject(db.database);
  const copyOf = async (daysAgo: number) => {
    const email = newEmail({ projectId, emailId: idFrom(daysAgo) });
    await insertEmails(db.database, [email]);
    await db.database
      .insertInto('sandboxMessages')
      .values({ projectId, emailId: email.emailId, message: Buffer.from('x'), createdAt: new Date() })
      .execute();
    return email.emailId;
  };
  const [old, young] = [await copyOf(8), await copyOf(6)];
  await runPass();
  assert.deepEqual([(await rowsOf(old)).at(-1), (await rowsOf(old))[0]], [0, 1]);
  assert.equal((await rowsOf(young)).at(-1), 1);
});

test('a failure for one project is logged, and other projects are still processed', async () => {
  const store = async () => {
    const projectId = await newProject(db.database);
    const { emailId } = newEmail({ projectId, emailId: idFrom(40) });
    await insertEmails(db.database, [newEmail({ projectId, emailId })]);
    await end(emailId);
    await keep(projectId, { keepDays: 30 });
    return { projectId, emailId };
  };
  const stored = [await store(), await store()];
  const [first, second] = stored.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1));
  assert.ok(first !== undefined && second !== undefined);
  await sql`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'locked' using errcode = '55P03'; end $$`.execute(db.database);
  await sql`
    create trigger refusing before delete on emails for each row
    when (old.project_id = ${sql.lit(first.projectId)}) execute function refuse()`.execute(db.database);
  const lines: string[] = [];
  try {
    await runPass(pino({}, { write: (line: string) => lines.push(line) }));
  } finally {
    await sql`drop trigger refusing on emails`.execute(db.database);
  }
  assert.deepEqual([(await rowsOf(first.emailId))[0], (await rowsOf(second.emailId))[0]], [1, 0]);
  assert.equal(lines.filter((line) => line.includes(LOG_MESSAGES.retentionFailed)).length, 1);
  await runPass();
  assert.equal((await rowsOf(first.emailId))[0], 0);
  for (const { projectId } of stored) await keep(projectId, { keepDays: null });
});

test('a pass that runs out of time ends after one batch of each job', async () => {
  const projectIds = [await newProject(db.database), await newProject(db.database)];
  for (const projectId of projectIds) {
    const emails = Array.from({ length: 2 * BATCH }, () => newEmail({ projectId, emailId: idFrom(40) }));
    await insertEmails(db.database, emails);
    await keep(projectId, { keepDays: 30 });
  }
  await sql`delete from queue where project_id = any (${projectIds})`.execute(db.database);
  const counts = () =>
    Promise.all(
      projectIds.map(async (projectId) => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from emails where project_id = ${projectId}`.execute(db.database);
        return rows[0]?.count;
      }),
    );
  assert.equal(await runPass(undefined, { ...HASTY, scanMs: 0 }), false);
  assert.deepEqual(await counts(), [BATCH, BATCH]);
  assert.equal(await runPass(), true);
  assert.deepEqual(await counts(), [0, 0]);
  for (const projectId of projectIds) await keep(projectId, { keepDays: null });
});

test('only one of several concurrent processes runs a retention pass', async () => {
  const projectId = await newProject(db.database);
  const email = newEmail({ projectId, emailId: idFrom(40) });
  await insertEmails(db.database, [email]);
  await end(email.emailId);
  await keep(projectId, { keepDays: 30 });
  await Promise.all([runPass(), runPass(), runPass()]);
  await runPass();
  assert.equal((await rowsOf(email.emailId))[0], 0);
  assert.equal(
    (await readUsage(db.database, projectId, monthOf(new Date(Date.now() - 40 * DAY_MS)))).apiEmails,
    1,
  );
  await keep(projectId, { keepDays: null });
});
