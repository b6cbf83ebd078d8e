import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { newEvent } from '../../../test/support/events.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { advance, type Progress, statusOf } from '../../../test/support/status-rule.ts';
import type { Database } from '../../db/database.ts';
import { EMAIL_STAGES, isEmailLevel, rankOf, type TimelineType } from '../../model/email-status.ts';
import { newUuid } from '../../model/ids.ts';
import { USUAL_STATUS_SETTING } from '../../queue/usual-status.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { getEmail } from '../read/get-email.ts';
import { hasStatus } from '../read/list-filters.ts';
import { type NewEvent, recordEvents } from './record-events.ts';

const RECIPIENTS = ['a@x.test', 'b@x.test', 'c@x.test'];

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

function event(type: TimelineType, recipientIndex: number): NewEvent {
  const whole = isEmailLevel(type);
  return newEvent(type, whole ? null : recipientIndex, whole ? null : (RECIPIENTS[recipientIndex] ?? null));
}

async function newStoredEmail(): Promise<string> {
  const email = newEmail({ to: RECIPIENTS, recipients: RECIPIENTS });
  await insertEmails(db.database, [email]);
  return email.emailId;
}

function record(emailId: string, events: readonly NewEvent[], projectId = PROJECT) {
  return db.database.transaction().execute((tx) => recordEvents(tx, [{ projectId, emailId, events }]));
}

const timelines = fc.array(
  fc
    .tuple(fc.constantFrom<TimelineType>(...EMAIL_STAGES, 'deferred'), fc.nat(RECIPIENTS.length - 1))
    .map(([type, recipientIndex]) => event(type, recipientIndex)),
  { minLength: 1, maxLength: 12 },
);

test('the stored status follows from the events alone, even if events are written concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(timelines, fc.constantFrom('queued', 'sent', 'delivered'), async (events, usual) => {
      await sql`
        insert into settings (name, value) values (${USUAL_STATUS_SETTING}, ${String(rankOf(usual))})
        on conflict (name) do update set value = excluded.value`.execute(db.database);
      const emailId = await newStoredEmail();
      await Promise.all(events.map((one) => record(emailId, [one])));
      const expected = events.reduce<Progress>(
        (at, { type, recipientIndex }) => advance(at, type, recipientIndex),
        {
          reached: 'queued',
          recipients: RECIPIENTS.map(() => 'queued'),
        },
      );
      assert.equal((await getEmail(db.database, PROJECT, emailId))?.status, statusOf(expected));
      const { rows } = await sql<{ is: boolean[] }>`
        select array[${sql.join(EMAIL_STAGES.map(hasStatus))}] as is from emails e where id = ${emailId}`.execute(
        db.database,
      );
      assert.deepEqual(
        rows[0]?.is,
        EMAIL_STAGES.map((stage) => stage === statusOf(expected)),
      );
    }),
    { numRuns: 60 },
  );
});

test('queued, sending and sent are on the timeline once each, in order', async () => {
  const emailId = await newStoredEmail();
  for (const type of ['sending', 'sending', 'sent', 'sending', 'sent'] as const)
    await record(emailId, [event(type, 0)]);
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.deepEqual(
    detail?.events.map(({ type }) => type),
    ['queued', 'sending', 'sent'],
  );
});

test('every click is on the timeline', async () => {
  const emailId = await newStoredEmail();
  await record(emailId, [event('clicked', 0), event('clicked', 0)]);
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.equal(detail?.events.filter(({ type }) => type === 'clicked').length, 2);
});

test('an event with the wrong project has no effect', async () => {
  const emailId = await newStoredEmail();
  await record(emailId, [event('bounced', 0)], newUuid());
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.equal(detail?.status, 'queued');
  assert.equal(detail?.events.length, 1);
});

test('no index is changed until an email has its usual status', async () => {
  const sent = String(rankOf('sent'));
  await sql`
    insert into settings (name, value) values (${USUAL_STATUS_SETTING}, ${sent})
    on conflict (name) do update set value = excluded.value`.execute(db.database);
  const emailId = await newStoredEmail();
  const [all, heapOnly] = await db.database.transaction().execute(async (tx) => {
    const before = await updatesOf(tx);
    for (const type of ['sending', 'sent', 'bounced'] as const)
      await recordEvents(tx, [{ projectId: PROJECT, emailId, events: [event(type, 0)] }]);
    const after = await updatesOf(tx);
    return [after.all - before.all, after.heapOnly - before.heapOnly];
  });
  assert.deepEqual([all, heapOnly], [3, 2]);
});

/** The updates of emails that the session has made so far. A heap-only update changes no index. */
async function updatesOf(database: Database): Promise<{ all: number; heapOnly: number }> {
  const { rows } = await sql<{ all: number; heapOnly: number }>`
    select sum(n_tup_upd)::int as all, sum(n_tup_hot_upd)::int as "heapOnly"
    from pg_stat_xact_user_tables where relname like 'emails\\_%'`.execute(database);
  return rows[0] ?? { all: 0, heapOnly: 0 };
}
