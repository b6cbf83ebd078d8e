import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Posthorn, verifyWebhook, type WebhookEvent } from '../../../sdk/src/index.ts';
import { startService } from '../../support/service.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const STAGES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'failed',
  'opened',
  'clicked',
] as const;
/** Local parts for which the sandbox simulates different outcomes. Together their emails cause every type of event. */
const RECIPIENTS = ['someone', 'bounced', 'complained', 'failed', 'opened', 'clicked'];

test('every webhook event of the running service passes verification and matches its type in the SDK', async () => {
  await using service = await startService();
  await using receiver = await startWebhookReceiver();
  const posthorn = new Posthorn({ apiKey: service.token ?? '', baseUrl: service.baseUrl });
  const events = STAGES.map((stage) => `email.${stage}` as const);
  const { secret } = await posthorn.webhooks.create({ url: receiver.url, events });

  const sent: string[] = [];
  for (const recipient of RECIPIENTS) {
    const to = [`${recipient}@example.org`];
    sent.push((await posthorn.emails.send({ from: 'a@posthorn.localhost', to, text: 'hello' })).id);
  }
  const seen = new Set<WebhookEvent['type']>();
  for (let count = 1; seen.size < STAGES.length; count += 1) {
    const post = (await receiver.waitFor(count, 20_000)).at(-1);
    const event = await verifyWebhook(post?.body ?? '', String(post?.headers['x-mail-signature']), secret);
    assert.ok(event.type !== 'webhook.test');
    assert.ok(sent.includes(event.data.email_id));
    assert.equal(`email.${event.data.status}`, event.type);
    const { event_payload } = event.data;
    if (event_payload !== null) assert.deepEqual([event_payload.recipient], event.data.to);
    seen.add(event.type);
  }
  assert.deepEqual([...seen].sort(), [...events].sort());
});
