/** No mail through SES is lost by an expired access key, an outage of SES or a killed worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSesServer } from '../support/ses-server.ts';
import { deliveryEvent } from '../support/ses-events.ts';
import { post, read, sesEnv, taken, when } from '../services/ses/ses.fixture.ts';

/** Shortens delays that are too long for a test. */
const IMPATIENT: readonly Patch[] = [
  { timings: 'src/sending/deliver/ses', values: { retryMs: 500, lastBackoffMs: 1_000 } },
  { timings: 'src/sending/deliver', values: { retryDelaysMs: [500, 180_000] } },
];
const RECIPIENTS = Array.from({ length: 10 }, (_, at) => `r${at}@dst.test`);

test('mail waits while the access key is expired, and is sent after a start with a valid access key', async () => {
  await using ses = await startSesServer();
  const first = await startService({ env: sesEnv(ses, 'expired'), patches: IMPATIENT });
  const { token, dataDir } = first;
  const ids = await Promise.all(RECIPIENTS.map((recipient) => post(first, token, recipient)));
  const isDeferred = async () => {
    const details = await Promise.all(ids.map((id) => read(first, token, id)));
    return details.some(({ events }) => events.some(({ type }) => type === 'deferred'));
  };
  assert.ok(await eventually(isDeferred, 15_000));
  for (const id of ids) assert.match((await read(first, token, id)).status, /^(?:queued|sending)$/);
  assert.equal(ses.messages.length, 0);
  await first.stop();

  await using second = await startService({ env: sesEnv(ses), patches: IMPATIENT, dataDir });
  for (const id of ids) await when(second, token, id, ({ status }) => status === 'sent');
  assert.deepEqual(ses.messages.flatMap(({ rcptTo }) => rcptTo).toSorted(), RECIPIENTS);
});

test('no email in flight is lost when SES becomes unavailable', async () => {
  const ses = await startSesServer();
  ses.fault = () => 'silence';
  await using service = await startService({ env: sesEnv(ses), patches: IMPATIENT });
  const ids = await Promise.all(RECIPIENTS.map((recipient) => post(service, service.token, recipient)));
  assert.ok(await eventually(() => ses.sendRequests === RECIPIENTS.length, 15_000));
  await ses.stop();

  await using again = await startSesServer({ port: Number(new URL(ses.origin).port) });
  for (const id of ids) await when(service, service.token, id, ({ status }) => status === 'sent');
  assert.deepEqual(again.messages.flatMap(({ rcptTo }) => rcptTo).toSorted(), RECIPIENTS);
});

test('no email in flight to SES is lost when the worker is killed', async () => {
  await using ses = await startSesServer();
  ses.fault = (_recipient, nth) => (nth === 1 ? 'silence' : undefined);
  await using service = await startService({ env: sesEnv(ses), patches: IMPATIENT });
  const ids = await Promise.all(RECIPIENTS.map((recipient) => post(service, service.token, recipient)));
  assert.ok(await eventually(() => ses.sendRequests === RECIPIENTS.length, 15_000));
  for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
  for (const id of ids) await when(service, service.token, id, ({ status }) => status === 'sent');
  assert.deepEqual(ses.messages.flatMap(({ rcptTo }) => rcptTo).toSorted(), RECIPIENTS);
});

test('an SNS event is rejected while the database is unavailable, and accepted when SNS retries', async () => {
  await using ses = await startSesServer();
  await using service = await startService({ env: sesEnv(ses) });
  const id = await post(service, service.token, 'late@dst.test');
  const message = await taken(ses, 'late@dst.test');
  await when(service, service.token, id, ({ status }) => status === 'sent');
  process.kill(service.postgresPid(), 'SIGKILL');
  const body = ses.topic.notification(deliveryEvent(message));
  const statuses: number[] = [];
  const isAccepted = async () => {
    statuses.push(await ses.topic.post(`${service.baseUrl}/ses/notifications`, body));
    return statuses.at(-1) === 200;
  };
  assert.ok(await eventually(isAccepted, 30_000), statuses.join());
  assert.ok(
    statuses.every((status) => status === 200 || status === 503),
    statuses.join(),
  );
  await when(service, service.token, id, ({ status }) => status === 'delivered');
});
