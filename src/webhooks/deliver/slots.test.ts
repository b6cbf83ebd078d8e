import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import { type WebhookAttempt, MAX_IN_FLIGHT, Slots } from './slots.ts';

const PROJECT = newUuid();

interface Item {
  webhookId: string;
  delivery: { emailId: string | null };
}

/** A worker whose webhooks always have more deliveries. */
class Worker {
  readonly slots = new Slots<Item>();
  readonly inFlight: WebhookAttempt<Item>[] = [];
  nowMs = 0;

  add(count: number, healthy: boolean | null): string[] {
    return Array.from({ length: count }, () => {
      const webhookId = newUuid();
      this.slots.setDue({ projectId: PROJECT, webhookId }, healthy);
      return webhookId;
    });
  }

  /** Claims and begins all attempts that are allowed now. @returns the webhooks whose attempts began */
  work(): string[] {
    for (const { endpoint, limit } of this.slots.plan(this.nowMs)) {
      this.slots.claimed(endpoint, limit);
      this.slots.loaded(
        endpoint,
        limit,
        Array.from({ length: limit }, () => ({
          webhookId: endpoint.key.webhookId,
          delivery: { emailId: null },
        })),
      );
    }
    const begun: string[] = [];
    for (let next = this.slots.begin(this.nowMs); next !== null; next = this.slots.begin(this.nowMs)) {
      this.inFlight.push(next);
      begun.push(next.item.webhookId);
    }
    return begun;
  }

  respondToAll(succeeded: boolean, afterMs = 5): void {
    this.nowMs += afterMs;
    for (const attempt of this.inFlight.splice(0)) this.slots.ended(attempt, succeeded, this.nowMs);
  }
}

test('a new webhook starts with a small share, which grows with successful responses up to 64', () => {
  const worker = new Worker();
  worker.add(1, null);
  const shares: number[] = [];
  for (let round = 0; round < 8; round++) {
    shares.push(worker.work().length);
    worker.respondToAll(true);
  }
  assert.deepEqual(shares, [4, 8, 16, 32, 64, 64, 64, 64]);
});

test('a failure reduces the share to one, and successful responses increase the share again', () => {
  const worker = new Worker();
  worker.add(1, true);
  for (let round = 0; round < 5; round++) {
    worker.work();
    worker.respondToAll(true);
  }
  worker.work();
  worker.respondToAll(false);
  const shares: number[] = [];
  for (let round = 0; round < 4; round++) {
    shares.push(worker.work().length);
    worker.respondToAll(true);
  }
  assert.deepEqual(shares, [1, 2, 4, 8]);
});

test('a slow response reduces the share to one', () => {
  const worker = new Worker();
  worker.add(1, true);
  assert.equal(worker.work().length, 4);
  worker.respondToAll(true, 3_000);
  assert.equal(worker.work().length, 1);
});

test('a thousand webhooks that never respond take no slots from a healthy webhook', () => {
  const worker = new Worker();
  worker.add(1_000, false);
  worker.work();
  const [good] = worker.add(1, true);
  assert.deepEqual(worker.work(), [good, good, good, good]);
});

test('a new webhook does not wait behind a thousand failing webhooks', () => {
  const worker = new Worker();
  worker.add(1_000, false);
  worker.work();
  const [unproven] = worker.add(1, null);
  assert.ok(worker.work().includes(unproven ?? ''));
});

test('healthy webhooks that stop responding free their slots long before their timeout', () => {
  const worker = new Worker();
  worker.add(200, true);
  while (worker.work().length > 0) worker.nowMs += 1;
  assert.equal(worker.inFlight.length, 512);
  const [good] = worker.add(1, true);
  worker.nowMs += 100;
  assert.deepEqual(worker.work(), []);
  worker.nowMs += 2_000;
  assert.deepEqual(worker.work(), [good, good, good, good]);
});

test('attempts in flight are bounded, however many webhooks stop responding', () => {
  const worker = new Worker();
  for (let round = 0; round < 50; round++) {
    worker.add(500, round % 2 === 0 ? true : null);
    worker.work();
    worker.nowMs += 2_001;
  }
  assert.ok(worker.inFlight.length <= MAX_IN_FLIGHT, String(worker.inFlight.length));
});

test('each webhook gets a fair share if there are fewer slots than webhooks', () => {
  const worker = new Worker();
  const all = worker.add(300, null);
  const served = new Set<string>();
  for (let round = 0; round < 3; round++) {
    for (const webhook of worker.work()) served.add(webhook);
    // A result of null means that no request was made, so the webhooks keep their share of slots.
    for (const attempt of worker.inFlight.splice(0)) worker.slots.ended(attempt, null, worker.nowMs);
    worker.nowMs += 1;
  }
  assert.equal(served.size, all.length);
});

test('connections that are refused at once are retried at a limited rate', () => {
  const worker = new Worker();
  worker.add(1_000, false);
  let begun = 0;
  for (worker.nowMs = 0; worker.nowMs < 2_000; ) {
    begun += worker.work().length;
    worker.respondToAll(false, 1);
  }
  assert.ok(begun > 900 && begun <= 1_128, String(begun));
});

test('the events of one email are sent one after the other, in parallel with events of other emails', () => {
  const slots = new Slots<Item & { event: string }>();
  const webhookId = newUuid();
  slots.setDue({ projectId: PROJECT, webhookId }, true);
  const [plan] = slots.plan(0);
  assert.ok(plan !== undefined);
  const items = ['a queued', 'a sending', 'b queued', 'a sent'].map((event) => ({
    webhookId,
    event,
    delivery: { emailId: event.slice(0, 1) },
  }));
  slots.claimed(plan.endpoint, items.length);
  slots.loaded(plan.endpoint, items.length, items);
  const order: string[] = [];
  const begin = () => {
    const attempt = slots.begin(0);
    if (attempt !== null) order.push(attempt.item.event);
    return attempt;
  };
  const first = begin();
  begin();
  assert.equal(begin(), null);
  assert.ok(first !== null);
  slots.ended(first, true, 5);
  begin();
  assert.deepEqual(order, ['a queued', 'b queued', 'a sending']);
});
