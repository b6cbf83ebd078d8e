import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newEvent } from '../../../test/support/events.ts';
import { SECRET, type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { acceptEmails, deliveriesOf, newWebhook, type TestWebhook } from '../../../test/support/webhooks.ts';
import { checkSecret, type Sealer } from '../../db/seal.ts';
import { recordEvents } from './record-events.ts';

let db: TestDatabase;
let sealer: Sealer;
before(async () => {
  db = await testDatabase();
  sealer = await checkSecret(db.database, SECRET);
});
after(() => db[Symbol.asyncDispose]());

test('each subscribed webhook gets the event in the same commit, even if two webhooks have the same URL', async () => {
  const first = await newWebhook(db.database, sealer);
  const { projectId } = first;
  const second = await newWebhook(db.database, sealer, { projectId });
  const sentOnly = await newWebhook(db.database, sealer, {
    projectId,

    events: ['email.sent'],
  });
  const disabled = await newWebhook(db.database, sealer, {
    projectId,

    enabled: false,
  });
  const elsewhere = await newWebhook(db.database, sealer, {
    projectId: await newProject(db.database),
  });
  const [email] = await acceptEmails(db.database, projectId, 1);
  const key = { projectId, emailId: email?.emailId ?? '' };
  const events = (['sending', 'sent', 'deferred', 'delivered'] as const).map((type) =>
    newEvent(type, type === 'deferred' || type === 'delivered' ? 0 : null, null),
  );
  await db.database.transaction().execute((tx) => recordEvents(tx, [{ ...key, events }]));
  const types = async (webhook: TestWebhook) =>
    (await deliveriesOf(db.database, webhook)).map((row) => row.type);
  const all = ['email.queued', 'email.sending', 'email.sent', 'email.delivered'];
  assert.deepEqual(await types(first), all);
  assert.deepEqual(await types(second), all);
  assert.deepEqual(await types(sentOnly), ['email.sent']);
  assert.deepEqual(await types(disabled), []);
  assert.deepEqual(await types(elsewhere), []);
});

test('an event that is rolled back leaves no webhook delivery', async () => {
  const webhook = await newWebhook(db.database, sealer);
  const { projectId } = webhook;
  const [email] = await acceptEmails(db.database, projectId, 1);
  const events = [newEvent('sending', null, null)];
  await assert.rejects(
    db.database.transaction().execute(async (tx) => {
      await recordEvents(tx, [{ projectId, emailId: email?.emailId ?? '', events }]);
      throw new Error('rolled back');
    }),
  );
  assert.deepEqual(
    (await deliveriesOf(db.database, webhook)).map((row) => row.type),
    ['email.queued'],
  );
});
