import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_KEYS } from '../../src/model/event-keys.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const MINUTE_MS = 60_000;
/** More than the tolerance for timestamps in webhook signatures (docs/contract.md, Signatures). */
const OFF_MS = 6 * MINUTE_MS;
const NEAR_MS = MINUTE_MS;

/** Node arguments that shift `Date`, as on a machine with a wrong clock. */
function nodeAt(aheadMs: number): string[] {
  const shift = `
    const real = Date.now;
    globalThis.Date = class extends Date {
      constructor(...given) { given.length === 0 ? super(real() + ${aheadMs}) : super(...given); }
      static now() { return real() + ${aheadMs}; }
    };`;
  return ['--import', `data:text/javascript,${encodeURIComponent(shift)}`];
}

/** Pairs of machines: an API with a fast clock beside a correct worker, and workers with a fast or slow clock. */
const MACHINES = [
  { title: 'an API that is ahead', http: OFF_MS, worker: 0 },
  { title: 'a worker that is ahead', http: 0, worker: OFF_MS },
  { title: 'a worker that is behind', http: 0, worker: -OFF_MS },
];

for (const { title, http, worker } of MACHINES) {
  test(`${title}: timelines are correct, signatures are valid, and only the machine with the wrong clock is not ready`, async () => {
    await using db = await testDatabase();
    await using receiver = await startWebhookReceiver();
    const env = { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET };
    await using api = await startService({ env: { ...env, POSTHORN_ROLES: 'http' }, nodeArgs: nodeAt(http) });
    await using sender = await startService({
      env: { ...env, POSTHORN_ROLES: 'worker' },
      nodeArgs: nodeAt(worker),
    });
    const client = api.client();
    await client.post('/v1/webhooks', { url: receiver.url, events: [...EVENT_KEYS] });
    const sentAtMs = Date.now();
    const sent = await client.post<{ id: string; created_at: string }>('/v1/emails', {
      from: 'hello@posthorn.localhost',
      to: ['you@example.com'],
      subject: 'Hello',
      text: 'It works.',
    });
    const posts = await receiver.waitFor(4, 10_000);
    const isNear = (ms: number) => Math.abs(ms - sentAtMs) < NEAR_MS;
    const read = await client.get<{ events: { type: string; created_at: string }[] }>(
      `/v1/emails/${sent.body.id}`,
    );
    assert.deepEqual(
      read.body.events.map(({ type }) => type),
      ['queued', 'sending', 'sent', 'delivered'],
    );
    assert.ok([sent.body, ...read.body.events].every((each) => isNear(Date.parse(each.created_at))));
    const times = posts.map(({ headers }) =>
      Number(/^t=(\d+)/.exec(String(headers['x-mail-signature']))?.[1]),
    );
    assert.ok(times.every((seconds) => isNear(seconds * 1_000)));

    const readiness = async ({ baseUrl }: { baseUrl: string }) => {
      const answer = await fetch(`${baseUrl}/readyz`);
      return [answer.status, ((await answer.json()) as { detail?: string }).detail ?? null];
    };
    const expectedFor = (aheadMs: number) =>
      aheadMs === 0
        ? [200, null]
        : [
            503,
            `The clock of this machine is 360 seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's.`,
          ];
    assert.deepEqual(await readiness(api), expectedFor(http));
    const workerReadiness = async () => (await readiness(sender))[0] === expectedFor(worker)[0];
    assert.ok(await eventually(workerReadiness, 5_000));
    assert.deepEqual(await readiness(sender), expectedFor(worker));
  });
}
