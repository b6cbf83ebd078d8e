import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, PROJECT, queueEmailWith } from '../../../test/support/emails.ts';
import { detailOf } from '../../../test/support/events.ts';
import { SECRET, type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newWebhook } from '../../../test/support/webhooks.ts';
import { openDatabase } from '../../db/database.ts';
import { checkSecret } from '../../db/seal.ts';
import type { TimelineType } from '../../model/email-status.ts';
import { ERASED } from '../../model/erased.ts';
import { newUuid } from '../../model/ids.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { getEmail } from '../read/get-email.ts';
import type { TrackingHit } from './record-hits.ts';
import { TrackingRecorder } from './tracking-recorder.ts';

const RECIPIENTS = ['b@dst.test', 'c@dst.test'];
const TARGET = 'https://acme.example/';
const SENT: readonly TimelineType[] = ['sending', 'sent', 'delivered'];
const MANY = 105;

let db: TestDatabase;
let recorder: TrackingRecorder;
let wakes = 0;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());
beforeEach(() => {
  wakes = 0;
  recorder = recorderOf(db);
});

/** A recorder as in another process, which has not cached the writes of other recorders. */
function recorderOf({ database }: Pick<TestDatabase, 'database'>): TrackingRecorder {
  return new TrackingRecorder({
    database,
    onEvents: () => {
      wakes += 1;
    },
  });
}

async function email(types: readonly TimelineType[] = SENT): Promise<string> {
  const fields = { to: RECIPIENTS, recipients: RECIPIENTS };
  return (await queueEmailWith(db.database, types, fields)).emailId;
}

type HitFields = Partial<Pick<TrackingHit, 'of' | 'isMachine'>>;

function factsOf(emailId: string, facts: HitFields) {
  const of = { projectId: PROJECT, emailId, recipientIndex: 0 };
  return { of, ip: '192.0.2.1', userAgent: 'Firefox', isMachine: false, ...facts };
}

const open = (emailId: string, facts: HitFields = {}): TrackingHit => ({
  kind: 'open',
  ...factsOf(emailId, facts),
});

const click = (emailId: string, facts: HitFields = {}): TrackingHit => ({
  kind: 'click',
  url: TARGET,
  ...factsOf(emailId, facts),
});

async function timeline(emailId: string) {
  const detail = await getEmail(db.database, PROJECT, emailId);
  assert.ok(detail);
  const events = detail.events.filter(({ type }) => type === 'opened' || type === 'clicked');
  return {
    status: detail.status,
    types: events.map(({ type }) => type),
    details: events.map(detailOf),
  };
}

const typesOf = async (emailId: string) => (await timeline(emailId)).types;

describe('an open', () => {
  test('an open by an erased recipient is not recorded, and opens by other recipients are recorded', async () => {
    const emailId = await email();
    await db.database
      .updateTable('emailRecipients')
      .set({ address: ERASED })
      .where('emailId', '=', emailId)
      .where('recipientIndex', '=', 0)
      .execute();
    assert.equal(await recorder.record(open(emailId)), 'refused');
    assert.deepEqual(await typesOf(emailId), []);
    const of = { projectId: PROJECT, emailId, recipientIndex: 1 };
    assert.equal(await recorder.record(open(emailId, { of })), 'recorded');
  });

  test('an open is on the timeline, raises the status and wakes the workers', async () => {
    const emailId = await email();
    assert.equal(await recorder.record(open(emailId)), 'recorded');
    assert.deepEqual(await timeline(emailId), {
      status: 'opened',
      types: ['opened'],
      details: [{ recipient: 'b@dst.test', ip: '192.0.2.1', user_agent: 'Firefox', is_machine: false }],
    });
    assert.equal(wakes, 1);
  });

  test('a repeated open changes nothing, in this process or in another process', async () => {
    const emailId = await email();
    await recorder.record(open(emailId));
    assert.equal(await recorder.record(open(emailId)), 'repeated');
    assert.equal(await recorder.record(open(emailId, { isMachine: true })), 'repeated');
    assert.equal(await recorderOf(db).record(open(emailId)), 'repeated');
    assert.deepEqual(await typesOf(emailId), ['opened']);
    assert.equal(wakes, 1);
  });

  test('after opens by machines, the first open by a person is recorded, and later ones are not', async () => {
    const emailId = await email();
    const results = [];
    for (const isMachine of [true, true, false, false, true])
      results.push(await recorder.record(open(emailId, { isMachine })));
    assert.deepEqual(results, ['recorded', 'repeated', 'recorded', 'repeated', 'repeated']);
    const { details } = await timeline(emailId);
    assert.deepEqual(
      details.map((detail) => detail?.['is_machine']),
      [true, false],
    );
  });

  test('an open is recorded for each recipient', async () => {
    const emailId = await email();
    const second = { projectId: PROJECT, emailId, recipientIndex: 1 };
    await recorder.record(open(emailId));
    assert.equal(await recorder.record(open(emailId, { of: second })), 'recorded');
    const { details } = await timeline(emailId);
    assert.deepEqual(
      details.map((detail) => detail?.['recipient']),
      RECIPIENTS,
    );
  });

  test('an open that is reported many times at once is recorded once, even over several processes', async () => {
    const emailId = await email();
    const recorders = [recorder, recorderOf(db), recorderOf(db)];
    const hits = Array.from({ length: 20 }, (_, at) => open(emailId, { isMachine: at < 10 }));
    const results = await Promise.all(recorders.flatMap((one) => hits.map((hit) => one.record(hit))));
    assert.ok(results.filter((result) => result === 'recorded').length <= 2);
    const { details } = await timeline(emailId);
    assert.equal(details.filter((detail) => detail?.['is_machine'] === false).length, 1);
    assert.ok(details.length <= 2);
  });

  test('a recorded open is recognized as repeated without a database query', async () => {
    const emailId = await email();
    const own = openDatabase(db.url);
    const ownRecorder = recorderOf({ database: own });
    await ownRecorder.record(open(emailId));
    await own.destroy();
    assert.equal(await ownRecorder.record(open(emailId)), 'repeated');
  });
});

describe('a click', () => {
  test('a click needs no earlier open', async () => {
    const emailId = await email();
    assert.equal(await recorder.record(click(emailId)), 'recorded');
    assert.deepEqual(await timeline(emailId), {
      status: 'clicked',
      types: ['clicked'],
      details: [
        {
          recipient: 'b@dst.test',
          url: TARGET,
          ip: '192.0.2.1',
          user_agent: 'Firefox',
          is_machine: false,
        },
      ],
    });
  });

  test('each click is recorded, up to 100 times per recipient', async () => {
    const emailId = await email();
    const results = await Promise.all(Array.from({ length: MANY }, () => recorder.record(click(emailId))));
    assert.equal(results.filter((result) => result === 'recorded').length, 100);
    assert.equal(await recorderOf(db).record(click(emailId)), 'repeated');
    const second = { projectId: PROJECT, emailId, recipientIndex: 1 };
    assert.equal(await recorder.record(click(emailId, { of: second })), 'recorded');
    assert.equal((await typesOf(emailId)).length, 101);
  });

  test('a click does not replace a later open', async () => {
    const emailId = await email();
    await recorder.record(click(emailId));
    assert.equal(await recorder.record(open(emailId)), 'recorded');
    const { status, types } = await timeline(emailId);
    assert.deepEqual([status, types], ['clicked', ['clicked', 'opened']]);
  });
});

describe('hits that are not recorded', () => {
  test('a hit on an email that was not sent yet is not recorded, and a hit on an email in flight is recorded', async () => {
    const queued = newEmail();
    await insertEmails(db.database, [queued]);
    assert.equal(await recorder.record(open(queued.emailId)), 'refused');
    assert.deepEqual(await typesOf(queued.emailId), []);
    assert.equal(wakes, 0);
    const sending = await email(['sending']);
    assert.equal(await recorder.record(open(sending)), 'recorded');
  });

  test('a hit on an email of another project is not recorded, even in a batch with a valid hit', async () => {
    const emailId = await email();
    const stranger = { projectId: newUuid(), emailId, recipientIndex: 0 };
    const results = await Promise.all([
      recorder.record(open(emailId, { of: stranger })),
      recorder.record(click(emailId)),
      recorder.record(click(emailId, { of: stranger })),
    ]);
    assert.deepEqual(results, ['refused', 'recorded', 'refused']);
    assert.deepEqual(await typesOf(emailId), ['clicked']);
  });

  test('a hit of a recipient that the email does not have is not recorded', async () => {
    const emailId = await email();
    for (const recipientIndex of [2, 49, 255]) {
      const of = { projectId: PROJECT, emailId, recipientIndex };
      assert.equal(await recorder.record(open(emailId, { of })), 'refused');
      assert.equal(await recorder.record(click(emailId, { of })), 'refused');
    }
    assert.deepEqual(await typesOf(emailId), []);
  });
});

test('an open does not hide an earlier bounce', async () => {
  const emailId = await email(['sending', 'sent', 'bounced']);
  assert.equal(await recorder.record(open(emailId)), 'recorded');
  assert.equal((await timeline(emailId)).status, 'bounced');
});

test('each event is delivered to the webhooks that subscribe to its type', async () => {
  const emailId = await email();
  const sealer = await checkSecret(db.database, SECRET);
  const { webhookId } = await newWebhook(db.database, sealer, {
    projectId: await projectRow(),
    events: ['email.opened', 'email.clicked'],
  });
  await recorder.record(open(emailId, { isMachine: true }));
  await recorder.record(open(emailId));
  await recorder.record(click(emailId));
  const deliveries = await db.database
    .selectFrom('dueDeliveries')
    .select('type')
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    deliveries.map(({ type }) => type),
    ['email.opened', 'email.opened', 'email.clicked'],
  );
});

/** Inserts the row of the project. Webhooks need the row because of their foreign key; emails do not. */
async function projectRow(): Promise<string> {
  await sql`
    with organization as (insert into organizations values (${newUuid()}, 'one', now()) returning id)
    insert into projects (id, organization_id, name, plan, created_at)
    select ${PROJECT}, id, 'one', 'paid', now() from organization`.execute(db.database);
  return PROJECT;
}

test('hits on many emails at once, in any order, do not deadlock', async () => {
  const emailIds = await Promise.all(Array.from({ length: 10 }, () => email()));
  const recorders = [recorder, recorderOf(db), recorderOf(db)];
  const hits = emailIds.flatMap((emailId) => [open(emailId), click(emailId)]);
  await Promise.all(
    recorders.flatMap((one, at) => (at === 1 ? hits.toReversed() : hits).map((hit) => one.record(hit))),
  );
  for (const emailId of emailIds) {
    const types = await typesOf(emailId);
    assert.deepEqual(types.toSorted(), ['clicked', 'clicked', 'clicked', 'opened']);
  }
});

describe('a hit is lost', () => {
  test('a hit is lost while the database is unavailable', async () => {
    const emailId = await email();
    const away = openDatabase('postgres://localhost:1/none');
    const awayRecorder = recorderOf({ database: away });
    const results = await Promise.all([
      ...Array.from({ length: 3_000 }, () => awayRecorder.record(click(emailId))),
      awayRecorder.record(open(emailId)),
    ]);
    assert.deepEqual([...new Set(results)], ['lost']);
    await away.destroy();
    assert.deepEqual(await typesOf(emailId), []);
    assert.equal(await recorder.record(open(emailId)), 'recorded');
  });

  test('a hit is lost if too many other hits wait for a lock, and no other hits are lost', async () => {
    const emailId = await email();
    let results: Promise<string[]> | undefined;
    await db.database.transaction().execute(async (tx) => {
      await sql`select from emails where id = ${emailId} for update`.execute(tx);
      const hits = Array.from({ length: 2_100 }, () => recorder.record(click(emailId)));
      results = Promise.all(hits);
      assert.deepEqual([...new Set(await Promise.all(hits.slice(2_000)))], ['lost']);
    });
    const counts = Object.groupBy((await results) ?? [], (result) => result);
    assert.equal(counts['recorded']?.length, 100);
    assert.equal(counts['lost']?.length, 100);
  });
});
