import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { isSigned, isStandardSigned, startWebhookReceiver } from '../../test/support/webhook-receiver.ts';
import {
  acceptEmails,
  newWebhook,
  startSender,
  type TestWebhook,
  webhookRow,
} from '../../test/support/webhooks.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { cancelRotation, finishRotation, rotateSecret } from './rotation.ts';
import { openSecrets } from './secret.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

async function rotate({ projectId, webhookId }: TestWebhook, hours: number): Promise<string> {
  const rotated = await rotateSecret(database, sealer, projectId, webhookId, hours);
  assert.ok(rotated !== null);
  return rotated.secret;
}

const signing = async (webhook: TestWebhook) =>
  openSecrets(sealer, await webhookRow(database, webhook), new Date());

test('a finished rotation leaves only the new secret', async () => {
  const webhook = await newWebhook(database, sealer);
  const secret = await rotate(webhook, 24);
  assert.deepEqual(await signing(webhook), { current: webhook.secret, next: secret });
  assert.equal(await finishRotation(database, webhook), true);
  assert.deepEqual(await signing(webhook), { current: secret, next: null });
});

test('finishing without a rotation changes nothing', async () => {
  const webhook = await newWebhook(database, sealer);
  assert.equal(await finishRotation(database, webhook), true);
  assert.deepEqual(await signing(webhook), { current: webhook.secret, next: null });
});

test('a cancelled rotation leaves the old secret, and the new secret never signs', async () => {
  const webhook = await newWebhook(database, sealer);
  await rotate(webhook, 24);
  assert.equal(await cancelRotation(database, webhook), true);
  assert.deepEqual(await signing(webhook), { current: webhook.secret, next: null });
});

test('an expired rotation cannot be cancelled, because receivers may know only the new secret', async () => {
  const webhook = await newWebhook(database, sealer);
  const secret = await rotate(webhook, 1);
  await database
    .updateTable('webhooks')
    .set({ previousSecretUntil: new Date(Date.now() - 1_000) })
    .where('id', '=', webhook.webhookId)
    .execute();
  await assert.rejects(
    cancelRotation(database, webhook),
    (error) => error instanceof AppError && error.code === 'bad-request',
  );
  assert.deepEqual(await signing(webhook), { current: secret, next: null });
});

test("the secret of an unknown webhook or of another project's webhook cannot be rotated", async () => {
  const { webhookId } = await newWebhook(database, sealer);
  const { projectId } = await newWebhook(database, sealer);
  for (const key of [
    { projectId, webhookId },
    { projectId, webhookId: newUuid() },
  ]) {
    assert.equal(await finishRotation(database, key), false);
    assert.equal(await cancelRotation(database, key), false);
    assert.equal(await rotateSecret(database, sealer, key.projectId, key.webhookId, 1), null);
  }
});

test('during a rotation a receiver gets a signature by each secret, and after the rotation only one by the new secret', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(database, sealer, { url: receiver.url });
  const secret = await rotate(webhook, 1);
  await using sender = await startSender(database);
  await acceptEmails(database, webhook.projectId, 1);
  sender.wake();
  const [during] = await receiver.waitFor(1);
  assert.ok(during !== undefined);
  assert.equal(String(during.headers['x-mail-signature']).match(/v1=/g)?.length, 1);
  assert.ok(isSigned(during, webhook.secret) && isSigned(during, secret, 'x-mail-signature-next'));
  assert.ok(isStandardSigned(during, webhook.secret) && isStandardSigned(during, secret));
  await finishRotation(database, webhook);
  await acceptEmails(database, webhook.projectId, 1);
  sender.wake();
  const [, afterwards] = await receiver.waitFor(2);
  assert.ok(afterwards !== undefined && isSigned(afterwards, secret));
  assert.equal(afterwards.headers['x-mail-signature-next'], undefined);
  assert.ok(isStandardSigned(afterwards, secret) && !isStandardSigned(afterwards, webhook.secret));
});

test('each step is in the audit log, without the secrets', async () => {
  const webhook = await newWebhook(database, sealer);
  const secrets = [await rotate(webhook, 24)];
  await cancelRotation(database, webhook);
  secrets.push(await rotate(webhook, 0));
  secrets.push(await rotate(webhook, 1));
  await finishRotation(database, webhook);
  const rows = await database
    .selectFrom('auditLog')
    .selectAll()
    .where('target', '=', encodeId('wh', webhook.webhookId))
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['rotate-secret', 'cancel-rotation', 'rotate-secret', 'rotate-secret', 'finish-rotation'].map(
      (verb) => `webhook.${verb}`,
    ),
  );
  const text = JSON.stringify(rows);
  for (const secret of [webhook.secret, ...secrets]) assert.ok(!text.includes(secret));
  assert.ok(!text.includes('sealed'));
});
