import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import PostalMime from 'postal-mime';
import { dkimRecord } from '../../../src/rfc/dkim/record.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';
import { bounceEvent, complaintEvent, deliveryEvent } from '../../support/ses-events.ts';
import { type SesServer, startSesServer } from '../../support/ses-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { type Detail, post, read, sesEnv, taken, when } from './ses.fixture.ts';

let ses: SesServer;
let hook: WebhookReceiver;
let service: Service;
before(async () => {
  ses = await startSesServer();
  hook = await startWebhookReceiver();
  service = await startService({ env: sesEnv(ses) });
  const events = ['email.sent', 'email.delivered', 'email.bounced', 'email.complained'];
  const { status } = await service.client().post('/v1/webhooks', { url: hook.url, events });
  assert.equal(status, 201);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await ses[Symbol.asyncDispose]();
});

const send = (...to: string[]) => post(service, service.token, ...to);
const settled = (id: string, status: string) =>
  when(service, service.token, id, (detail) => detail.status === status);
const typesOf = ({ events }: Detail) => events.map(({ type }) => type);
const notificationsUrl = () => `${service.baseUrl}/ses/notifications`;
const publish = (event: string) => ses.topic.post(notificationsUrl(), ses.topic.notification(event));

test('the start banner names SES as the provider', () => {
  assert.match(service.output, /Provider +ses, in eu-test-1$/m);
});

test('the service confirms the subscription to the SNS topic itself', async () => {
  assert.equal(await ses.topic.post(notificationsUrl(), ses.topic.confirmation()), 200);
  assert.equal(ses.topic.confirmed.length, 1);
});

test('an email is sent when SES accepts it, and delivered when SES reports the delivery', async () => {
  const id = await send('happy@dst.test');
  const message = await taken(ses, 'happy@dst.test');
  const sent = await settled(id, 'sent');
  assert.deepEqual(typesOf(sent), ['queued', 'sending', 'sent']);
  assert.equal(sent.events.at(-1)?.detail?.['provider_message_id'], message.messageId);
  assert.equal(message.configurationSet, 'posthorn');

  assert.equal(await publish(deliveryEvent(message)), 200);
  const delivered = await read(service, service.token, id);
  assert.equal(delivered.status, 'delivered');
  assert.partialDeepStrictEqual(delivered.events.at(-1), {
    recipient: 'happy@dst.test',
    detail: { smtp_code: 250, response: '250 2.6.0 Message received' },
  });
  const posted = () => hook.received.map(({ body }) => JSON.parse(body) as { type: string; data: Detail });
  const isDelivered = () => posted().some(({ type }) => type === 'email.delivered');
  assert.ok(await eventually(isDelivered, 60_000));
});

test('SES receives the message as composed, with valid signatures', async () => {
  await send('signed@dst.test');
  const { passedOn } = await taken(ses, 'signed@dst.test');
  const keys = await service.database.selectFrom('dkimKeys').selectAll().execute();
  const records = new Map(
    keys.map((key) => [
      `${key.selector}._domainkey.posthorn.localhost`,
      dkimRecord(key.algorithm, key.publicKey),
    ]),
  );
  const { results } = await dkimVerify(passedOn, {
    strict: true,
    resolver: async (name: string) => [[records.get(name) ?? '']],
  });
  assert.deepEqual(
    results.map(({ status }) => status.result),
    ['pass', 'pass'],
  );
  const message = await PostalMime.parse(passedOn);
  assert.deepEqual(message.from, { name: 'Jörg Müller', address: 'hello@posthorn.localhost' });
  assert.equal(message.subject, 'Grüße');
  assert.match(message.messageId ?? '', /amazonses\.com>$/);
});

test('each recipient gets a separate message, and an event changes only its own recipient', async () => {
  const id = await send('one@dst.test', 'two@dst.test');
  const [, two] = [await taken(ses, 'one@dst.test'), await taken(ses, 'two@dst.test')];
  await settled(id, 'sent');
  assert.equal(await publish(bounceEvent(two, { type: 'Transient', subType: 'MailboxFull' })), 200);
  const { status, events } = await read(service, service.token, id);
  assert.equal(status, 'bounced');
  assert.deepEqual(
    events.filter(({ type }) => type === 'bounced').map(({ recipient }) => recipient),
    ['two@dst.test'],
  );
});

test('no further email is sent to an address with a hard bounce', async () => {
  const id = await send('gone@dst.test');
  const message = await taken(ses, 'gone@dst.test');
  assert.equal(await publish(bounceEvent(message)), 200);
  const { events } = await settled(id, 'bounced');
  assert.partialDeepStrictEqual(events.find(({ type }) => type === 'bounced')?.detail, {
    type: 'hard',
    category: 'unknown_user',
    suppressed: true,
  });
  const again = await send('Gone@dst.test');
  const { events: refused } = await settled(again, 'failed');
  assert.equal(refused.at(-1)?.detail?.['reason'], 'suppressed');
  assert.equal(ses.messages.filter(({ rcptTo }) => /^gone@/i.test(rcptTo[0] ?? '')).length, 1);
});

test('a complaint after a delivery is added to the timeline', async () => {
  const id = await send('annoyed@dst.test');
  const message = await taken(ses, 'annoyed@dst.test');
  await settled(id, 'sent');
  assert.equal(await publish(deliveryEvent(message)), 200);
  assert.equal(await publish(complaintEvent(message)), 200);
  assert.equal(await publish(complaintEvent(message)), 200);
  const detail = await read(service, service.token, id);
  assert.equal(detail.status, 'complained');
  assert.deepEqual(typesOf(detail), ['queued', 'sending', 'sent', 'delivered', 'complained']);
});

test('forged notifications, and notifications of other topics, change no email', async () => {
  const id = await send('target@dst.test');
  const message = await taken(ses, 'target@dst.test');
  await settled(id, 'sent');
  const event = bounceEvent(message);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { topic } = ses;
  const attempts: [body: Parameters<typeof topic.post>[1], status: number][] = [
    [topic.notification(event, { key }), 400],
    [topic.notification(event, { fields: { TopicArn: `${topic.arn}-2` } }), 400],
    [{ ...topic.notification('{}'), Message: event }, 400],
    // This notification has the right topic, but a tag that was made without the secret.
    [topic.notification(event.replaceAll(/(b_)[0-9a-z]/g, '$1z').replaceAll(/r\+[0-9a-z]/g, 'r+z')), 200],
  ];
  for (const [body, status] of attempts) assert.equal(await topic.post(notificationsUrl(), body), status);
  assert.deepEqual(typesOf(await read(service, service.token, id)), ['queued', 'sending', 'sent']);
});

test('a message fails if SES rejects it permanently, and is deferred if SES rejects it temporarily', async () => {
  ses.fault = (recipient) => {
    if (recipient === 'virus@dst.test')
      return { status: 400, type: 'MessageRejected', message: 'Bad content' };
    if (recipient === 'unverified@dst.test')
      return { status: 400, type: 'MessageRejected', message: 'Email address is not verified.' };
    return undefined;
  };
  const [refused, waiting] = [await send('virus@dst.test'), await send('unverified@dst.test')];
  const { events } = await settled(refused, 'failed');
  assert.partialDeepStrictEqual(events.at(-1)?.detail, {
    reason: 'rejected',
    detail: '400 MessageRejected Bad content',
  });
  const deferred = await when(service, service.token, waiting, (detail) =>
    typesOf(detail).includes('deferred'),
  );
  assert.equal(deferred.status, 'sending');
  assert.match(String(deferred.events.at(-1)?.detail?.['response']), /not verified/);
  assert.equal((await settled(await send('others@dst.test'), 'sent')).status, 'sent');
});

test('mail that SES throttles is deferred for seconds, and then sent', async () => {
  ses.fault = (recipient, nth) =>
    recipient === 'throttled@dst.test' && nth === 1
      ? { status: 429, type: 'TooManyRequestsException', message: 'Maximum sending rate exceeded.' }
      : undefined;
  const id = await send('throttled@dst.test');
  assert.deepEqual(typesOf(await settled(id, 'sent')), ['queued', 'sending', 'deferred', 'sent']);
});

test('mail to a non-ASCII address, which SES does not support, fails at once', async () => {
  const { events } = await settled(await send('jörg@dst.test'), 'failed');
  assert.match(
    String(events.at(-1)?.detail?.['detail']),
    /^5\.6\.7 Amazon SES does not support non-ASCII addresses/,
  );
});
