/**
 * Which webhook is served next. Slots are kept apart by health, so that receivers that never answer can take none of
 * the slots of the good ones, and a new one does not wait behind the failing.
 */
import type { WebhookKey } from './claim-deliveries.ts';
import { Endpoint, type Health } from './endpoint.ts';
import { type Plan, Pool } from './pool.ts';

const HEALTHS: readonly Health[] = ['good', 'unproven', 'failing'];
const SLOTS: Readonly<Record<Health, number>> = { good: 512, unproven: 128, failing: 128 };
/** Attempts under way at once. */
export const MAX_IN_FLIGHT = SLOTS.good + SLOTS.unproven + SLOTS.failing;
/** Remembered webhooks. Of one that is forgotten the database knows whether it was failing. */
const MAX_ENDPOINTS = 20_000;
/** A second. */
const UNLIMITED = 1e9;

export class Slots<Item> {
  readonly #pools: Readonly<Record<Health, Pool<Item>>> = {
    good: new Pool({ slots: SLOTS.good, ahead: 1_024, perSecond: UNLIMITED }),
    unproven: new Pool({ slots: SLOTS.unproven, ahead: 0, perSecond: UNLIMITED }),
    // A refused connection takes no time: without a limit it would be tried as fast as that can be written down.
    failing: new Pool({ slots: SLOTS.failing, ahead: 0, perSecond: 500 }),
  };
  readonly #endpoints = new Map<string, Endpoint<Item>>();

  get hasDue(): boolean {
    return HEALTHS.some((health) => this.#pools[health].due.size > 0);
  }

  /** @param healthy what the database knows; what this worker has seen itself is newer */
  setDue(key: WebhookKey, healthy: boolean | null): void {
    let endpoint = this.#endpoints.get(key.webhookId);
    if (endpoint === undefined) {
      endpoint = new Endpoint(key, healthy === null ? 'unproven' : healthy ? 'good' : 'failing');
      if (this.#endpoints.size >= MAX_ENDPOINTS) this.#forget();
      this.#endpoints.set(key.webhookId, endpoint);
    }
    this.#poolOf(endpoint).due.add(endpoint);
  }

  setDone(endpoint: Endpoint<Item>): void {
    this.#poolOf(endpoint).due.delete(endpoint);
  }

  /** What to claim now. */
  plan(nowMs: number): Plan<Item>[] {
    return HEALTHS.flatMap((health) => this.#pools[health].plan(nowMs));
  }

  claimed(endpoint: Endpoint<Item>, count: number): void {
    endpoint.loading += count;
    this.#poolOf(endpoint).claimed(count);
  }

  /** Of the deliveries that were claimed these can be sent. */
  loaded(endpoint: Endpoint<Item>, count: number, items: readonly Item[]): void {
    const pool = this.#poolOf(endpoint);
    endpoint.loading -= count;
    pool.atHand -= count - items.length;
    endpoint.waiting.push(...items);
    if (endpoint.isReady) pool.ready.add(endpoint);
  }

  /** The next to go out, or null when all slots are taken or nothing waits for one. */
  begin(): { endpoint: Endpoint<Item>; item: Item; health: Health } | null {
    for (const health of HEALTHS) {
      const pool = this.#pools[health];
      const [endpoint] = pool.isFull ? [] : pool.ready;
      if (endpoint === undefined) continue;
      const item = endpoint.waiting.shift() as Item;
      pool.atHand -= 1;
      pool.inFlight += 1;
      endpoint.inFlight += 1;
      pool.ready.delete(endpoint);
      if (endpoint.isReady) pool.ready.add(endpoint);
      return { endpoint, item, health };
    }
    return null;
  }

  /** An attempt that was begun is over. `learn` tells the endpoint how it went. */
  ended(endpoint: Endpoint<Item>, begunAs: Health, learn: () => void): void {
    this.#pools[begunAs].inFlight -= 1;
    endpoint.inFlight -= 1;
    const before = this.#poolOf(endpoint);
    learn();
    const after = this.#poolOf(endpoint);
    if (before !== after) {
      const atHand = endpoint.loading + endpoint.waiting.length;
      before.atHand -= atHand;
      after.atHand += atHand;
      if (before.due.delete(endpoint)) after.due.add(endpoint);
      before.ready.delete(endpoint);
    }
    if (endpoint.isReady) after.ready.add(endpoint);
    else after.ready.delete(endpoint);
  }

  /** Takes back what waits for an endpoint. */
  takeWaiting(endpoint: Endpoint<Item>): Item[] {
    const pool = this.#poolOf(endpoint);
    const items = endpoint.waiting;
    endpoint.waiting = [];
    pool.atHand -= items.length;
    pool.ready.delete(endpoint);
    return items;
  }

  takeAllWaiting(): Item[] {
    return [...this.#endpoints.values()].flatMap((endpoint) => this.takeWaiting(endpoint));
  }

  #poolOf(endpoint: Endpoint<Item>): Pool<Item> {
    return this.#pools[endpoint.health];
  }

  #forget(): void {
    for (const [id, endpoint] of this.#endpoints) {
      if (endpoint.isIdle && !this.#poolOf(endpoint).due.has(endpoint)) this.#endpoints.delete(id);
      if (this.#endpoints.size < MAX_ENDPOINTS / 2) return;
    }
  }
}
