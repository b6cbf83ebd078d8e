import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { newProject } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import {
  claimRows,
  deferRows,
  deleteRows,
  emptyQueue,
  park,
  rowsOf,
  setCrashes,
  setDue,
} from '../../../test/support/queue-rows.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { Lease } from '../../queue/lease.ts';
import { closeDestination } from '../../queue/destinations.ts';
import { pauseSending, resumeSending } from '../../queue/pause.ts';
import { pauseDestination } from '../../queue/paused-destinations.ts';
import { changeProviderKind } from '../../queue/provider-kind.ts';
import { insertEmails, type NewEmail } from '../accept/insert-emails.ts';
import { sendNow, tryNow } from './send-now.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  await sql`truncate destination_holds`.execute(db.database);
  await resumeSending(db.database);
});
after(() => db[Symbol.asyncDispose]());

async function accepted(fields: Partial<NewEmail> = {}): Promise<string> {
  const email = newEmail(fields);
  await insertEmails(db.database, [email]);
  return email.emailId;
}

async function deferredEmail(fields: Partial<NewEmail> = {}): Promise<string> {
  const emailId = await accepted(fields);
  await deferRows(db.database, { emailId });
  return emailId;
}

/** For each recipient in the queue: whether it is due, and its number of attempts. */
async function dueOf(emailId: string) {
  const rows = await rowsOf(db.database, { emailId });
  return rows.flatMap(({ nextAttemptAt, attempts }) =>
    nextAttemptAt === null ? [] : [[nextAttemptAt.getTime() <= Date.now() + 1_000, attempts]],
  );
}

const isRefused = (emailId: string) =>
  assert.rejects(tryNow(db.database, PROJECT, emailId), { code: 'bad-request' });

async function addDeferral(emailId: string, secondsAgo: number): Promise<void> {
  const { type, recipient, detail } = newEvent('deferred', 0, 'b@dst.test');
  const id = firstUuidAt(new Date(Date.now() - secondsAgo * 1_000));
  await db.database
    .insertInto('events')
    .values({ projectId: PROJECT, emailId, id, type, recipient, detail: JSON.stringify(detail) })
    .execute();
}

test('a deferred recipient becomes due once, and its attempts count on', async () => {
  const emailId = await deferredEmail();
  await addDeferral(emailId, 11);
  assert.equal(await tryNow(db.database, PROJECT, emailId), true);
  assert.deepEqual(await dueOf(emailId), [[true, 1]]);
  await isRefused(emailId);
});

test('of two tries at the same time only one makes the recipient due', async () => {
  const emailId = await deferredEmail();
  const tries = await Promise.allSettled(
    Array.from({ length: 2 }, () => tryNow(db.database, PROJECT, emailId)),
  );
  assert.deepEqual(tries.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('only the recipients that were deferred become due', async () => {
  const emailId = await accepted({ recipients: ['a@x.test', 'b@x.test', 'c@x.test'] });
  await deferRows(db.database, { emailId, address: 'b@x.test' });
  await park(db.database, 'x.test', { address: 'a@x.test' });
  await deleteRows(db.database, { address: 'c@x.test' });
  assert.equal(await tryNow(db.database, PROJECT, emailId), true);
  const { rows } = await sql`select address from queue where next_attempt_at <= now()`.execute(db.database);
  assert.deepEqual(rows, [{ address: 'b@x.test' }]);
});

const UNCHANGED: Readonly<Record<string, () => Promise<string>>> = {
  'was not tried yet': () => accepted(),
  'waits for a destination': async () => {
    const emailId = await deferredEmail();
    await park(db.database, 'dst.test', { emailId });
    return emailId;
  },
  'goes to a paused destination': async () => {
    await pauseDestination(db.database, 'dst.test', new Date());
    return deferredEmail();
  },
  'goes to a destination that accepts no mail': async () => {
    await closeDestination(db.database, 'dst.test', 0, 60_000, {});
    return deferredEmail();
  },
  'waits because sending is paused': async () => {
    await pauseSending(db.database, new Date());
    return deferredEmail();
  },
  'was tried thirty times': async () => {
    const emailId = await deferredEmail();
    await sql`update queue set attempts = 30 where email_id = ${emailId}`.execute(db.database);
    return emailId;
  },
  'was tried last by an attempt that failed in our own code': async () => {
    const emailId = await deferredEmail();
    await setCrashes(db.database, 1, { emailId });
    return emailId;
  },
  'is claimed by a worker': async () => {
    const emailId = await deferredEmail();
    await setDue(db.database, '-1 second', { emailId });
    const lease = await Lease.begin(db.database, newUuid(), 'test');
    await claimRows(db.database, lease.leaseId, 1);
    lease.stop();
    await setDue(db.database, '1 hour', { emailId });
    return emailId;
  },
  'was tried within the last ten seconds': async () => {
    const emailId = await deferredEmail();
    await addDeferral(emailId, 5);
    return emailId;
  },
  'is due within ten seconds anyway': async () => {
    const emailId = await deferredEmail();
    await setDue(db.database, '8 seconds', { emailId });
    return emailId;
  },
  'was accepted for another kind of provider': async () => {
    const change = (kind: 'sandbox' | 'real') =>
      db.database.transaction().execute((tx) => changeProviderKind(tx, kind));
    await change('sandbox');
    const emailId = await deferredEmail();
    await change('real');
    return emailId;
  },
  'is done': async () => {
    const emailId = await accepted();
    await deleteRows(db.database, { emailId });
    return emailId;
  },
};

for (const [name, arrange] of Object.entries(UNCHANGED))
  test(`a recipient that ${name} is not changed`, async () => {
    const emailId = await arrange();
    const before = await rowsOf(db.database, { emailId });
    await isRefused(emailId);
    assert.deepEqual(await rowsOf(db.database, { emailId }), before);
  });

test('a project has a limited number of emails tried per hour', async () => {
  const projectId = await newProject(db.database);
  const emailId = await deferredEmail({ projectId });
  assert.equal(await tryNow(db.database, projectId, emailId), true);
  const repeat = (hours: number) =>
    sql`
    insert into audit_log (organization_id, id, project_id, action, actor_kind, actor_name, target, created_at)
    select organization_id, overlay(gen_random_uuid()::text placing left(${firstUuidAt(new Date(Date.now() - hours * 3_600_000))}, 14) from 1 for 14)::uuid,
      project_id, action, actor_kind, actor_name, target, created_at
    from audit_log, generate_series(1, 99) where project_id = ${projectId} and action = 'email.try' limit 99`.execute(
      db.database,
    );
  await setDue(db.database, '1 hour', { emailId });
  await repeat(2);
  assert.equal(await tryNow(db.database, projectId, emailId), true);
  await setDue(db.database, '1 hour', { emailId });
  await repeat(0.5);
  await assert.rejects(tryNow(db.database, projectId, emailId), { code: 'rate-limited' });
  const other = await deferredEmail();
  assert.equal(await tryNow(db.database, PROJECT, other), true);
});

test('an email of another project and the message of a mailbox are not found', async () => {
  const later = new Date(Date.now() + 3_600_000);
  const deferred = await deferredEmail();
  const scheduled = await accepted({ scheduledAt: later });
  for (const change of [tryNow, sendNow])
    for (const emailId of [deferred, scheduled])
      assert.equal(await change(db.database, newUuid(), emailId), false);
  const submissions = { [deferred]: newUuid(), [scheduled]: newUuid() };
  for (const [emailId, id] of Object.entries(submissions))
    await sql`update queue set email_id = ${id} where email_id = ${emailId}`.execute(db.database);
  for (const change of [tryNow, sendNow])
    for (const id of Object.values(submissions)) assert.equal(await change(db.database, PROJECT, id), false);
  const { rows } = await sql`select from queue where next_attempt_at <= now() + interval '1 minute'`.execute(
    db.database,
  );
  assert.equal(rows.length, 0);
});
