/**
 * Decides which webhook is served next. Webhooks of each health (`good`, `unproven`, `failing`) have separate slots, so that receivers that
 * never respond take no slots from good webhooks, and a new webhook does not wait for failing webhooks.
 */
import type { WebhookKey } from './claim-deliveries.ts';
import { Endpoint, type Health, type Sendable, SLOW_MS } from './endpoint.ts';

const SLOTS: Readonly<Record<Health, number>> = { good: 512, unproven: 128, failing: 128 };
/** The maximum number of attempts in flight in the failing pool, including overdue attempts moved there from other pools. */
const MAX_OVERDUE = 1_024;
export const MAX_IN_FLIGHT = SLOTS.good + SLOTS.unproven + MAX_OVERDUE;
/** The maximum number of webhooks in memory. Evicting a webhook loses little, because the database also stores whether it was failing. */
const MAX_ENDPOINTS = 20_000;
/** A rate that means "no limit", in deliveries per second. */
const UNLIMITED = 1e9;

/** A delivery in flight. */
export interface WebhookAttempt<Item extends Sendable> {
  readonly endpoint: Endpoint<Item>;
  readonly item: Item;
  readonly begunMs: number;
  /** The pool whose slot the attempt occupies. */
  pool: SlotPool<Item>;
}

interface PoolLimits {
  /** The maximum number of attempts in flight. */
  slots: number;
  /** How many deliveries may be claimed in excess of the slots. */
  ahead: number;
  /** The maximum number of deliveries that are claimed per second. */
  perSecond: number;
}

/** The number of deliveries to claim for a webhook. */
interface ClaimPlan<Item extends Sendable> {
  endpoint: Endpoint<Item>;
  limit: number;
}

/** The slots for all webhooks of one health, shared fairly between them. */
class SlotPool<Item extends Sendable> {
  readonly #limits: PoolLimits;
  /** Webhooks with due deliveries in the database, starting with the webhook that was served least recently. */
  readonly due = new Set<Endpoint<Item>>();
  /** Webhooks with an item that may be sent now, starting with the webhook that was served least recently. */
  readonly ready = new Set<Endpoint<Item>>();
  inFlight = 0;
  /** The number of deliveries that are claimed and not begun yet. */
  notBegun = 0;
  #allowance: number;
  #allowedAtMs = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
    this.#allowance = limits.slots;
  }

  get isFull(): boolean {
    return this.inFlight >= this.#limits.slots;
  }

  setReady(endpoint: Endpoint<Item>): void {
    if (endpoint.isReady) this.ready.add(endpoint);
    else this.ready.delete(endpoint);
  }

  /** Divides the free slots evenly. A webhook that gets a slot moves to the end of the queue. */
  plan(nowMs: number): ClaimPlan<Item>[] {
    const { slots, ahead, perSecond } = this.#limits;
    this.#allowance = Math.min(slots, this.#allowance + ((nowMs - this.#allowedAtMs) / 1_000) * perSecond);
    this.#allowedAtMs = nowMs;
    let free = Math.min(slots + ahead - this.inFlight - this.notBegun, Math.floor(this.#allowance));
    const candidates: Endpoint<Item>[] = [];
    for (const endpoint of this.due) {
      if (candidates.length >= free) break;
      if (endpoint.claimLimit > 0) candidates.push(endpoint);
    }
    const each = Math.max(1, Math.floor(free / candidates.length));
    const plans: ClaimPlan<Item>[] = [];
    for (const endpoint of candidates) {
      const limit = Math.min(endpoint.claimLimit, each, free);
      if (limit === 0) break;
      plans.push({ endpoint, limit });
      free -= limit;
      this.due.delete(endpoint);
      this.due.add(endpoint);
    }
    return plans;
  }

  /** Counts claimed deliveries against the rate. */
  claimed(count: number): void {
    this.notBegun += count;
    this.#allowance -= count;
  }
}

export class Slots<Item extends Sendable> {
  readonly #pools: Readonly<Record<Health, SlotPool<Item>>> = {
    good: new SlotPool({ slots: SLOTS.good, ahead: 1_024, perSecond: UNLIMITED }),
    unproven: new SlotPool({ slots: SLOTS.unproven, ahead: 0, perSecond: UNLIMITED }),
    // A refused connection takes no time, so without a limit, deliveries would be retried as fast as their outcomes can be written.
    failing: new SlotPool({ slots: SLOTS.failing, ahead: 0, perSecond: 500 }),
  };
  readonly #inOrder = [this.#pools.good, this.#pools.unproven, this.#pools.failing];
  readonly #endpoints = new Map<string, Endpoint<Item>>();
  /** Attempts in the order of their start, without overdue attempts. */
  readonly #fresh = new Set<WebhookAttempt<Item>>();

  get hasDue(): boolean {
    return this.#inOrder.some((pool) => pool.due.size > 0);
  }

  /**
   * @param healthy whether the webhook is healthy, according to the database; null if unknown. What this worker itself observed is newer
   * and takes precedence
   */
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

  /** The deliveries to claim now. */
  plan(nowMs: number): ClaimPlan<Item>[] {
    this.#judgeOverdue(nowMs);
    return this.#inOrder.flatMap((pool) => pool.plan(nowMs));
  }

  claimed(endpoint: Endpoint<Item>, count: number): void {
    endpoint.loading += count;
    this.#poolOf(endpoint).claimed(count);
  }

  /** Ends the loading of `count` claimed deliveries. `items` has only the deliveries that can be sent. */
  loaded(endpoint: Endpoint<Item>, count: number, items: readonly Item[]): void {
    const pool = this.#poolOf(endpoint);
    endpoint.loading -= count;
    pool.notBegun -= count - items.length;
    endpoint.waiting.push(...items);
    pool.setReady(endpoint);
  }

  /** The next attempt, or null when all slots are occupied or nothing is waiting. */
  begin(nowMs: number): WebhookAttempt<Item> | null {
    for (const pool of this.#inOrder) {
      const [endpoint] = pool.isFull ? [] : pool.ready;
      const item = endpoint?.begin();
      if (endpoint === undefined || item === undefined) continue;
      pool.notBegun -= 1;
      pool.inFlight += 1;
      pool.ready.delete(endpoint);
      pool.setReady(endpoint);
      const attempt: WebhookAttempt<Item> = { endpoint, item, begunMs: nowMs, pool };
      this.#fresh.add(attempt);
      return attempt;
    }
    return null;
  }

  /** Ends an attempt. @param succeeded null if no request was made */
  ended(attempt: WebhookAttempt<Item>, succeeded: boolean | null, nowMs: number): void {
    const { endpoint, item, pool, begunMs } = attempt;
    this.#fresh.delete(attempt);
    pool.inFlight -= 1;
    endpoint.ended(item);
    if (succeeded !== null) this.#learn(endpoint, succeeded, nowMs - begunMs);
    this.#poolOf(endpoint).setReady(endpoint);
  }

  /** Removes the items that wait for an endpoint. */
  takeWaiting(endpoint: Endpoint<Item>): Item[] {
    const pool = this.#poolOf(endpoint);
    const items = endpoint.waiting;
    endpoint.waiting = [];
    pool.notBegun -= items.length;
    pool.ready.delete(endpoint);
    return items;
  }

  takeAllWaiting(): Item[] {
    return [...this.#endpoints.values()].flatMap((endpoint) => this.takeWaiting(endpoint));
  }

  #poolOf(endpoint: Endpoint<Item>): SlotPool<Item> {
    return this.#pools[endpoint.health];
  }

  /** Treats a receiver that has not responded for `SLOW_MS` as failing before its timeout, which frees slots for other webhooks. */
  #judgeOverdue(nowMs: number): void {
    const { failing } = this.#pools;
    for (const attempt of this.#fresh) {
      if (nowMs - attempt.begunMs <= SLOW_MS || failing.inFlight >= MAX_OVERDUE) return;
      this.#fresh.delete(attempt);
      attempt.pool.inFlight -= 1;
      attempt.pool = failing;
      failing.inFlight += 1;
      this.#learn(attempt.endpoint, false, nowMs - attempt.begunMs);
    }
  }

  #learn(endpoint: Endpoint<Item>, succeeded: boolean, durationMs: number): void {
    const before = this.#poolOf(endpoint);
    endpoint.answered(succeeded, durationMs);
    const after = this.#poolOf(endpoint);
    if (before === after) return;
    const notBegun = endpoint.loading + endpoint.waiting.length;
    before.notBegun -= notBegun;
    after.notBegun += notBegun;
    if (before.due.delete(endpoint)) after.due.add(endpoint);
    if (before.ready.delete(endpoint)) after.setReady(endpoint);
  }

  /** Evicts idle endpoints. The next poll finds their due deliveries again. */
  #forget(): void {
    for (const [id, endpoint] of this.#endpoints) {
      if (this.#endpoints.size <= MAX_ENDPOINTS / 2) return;
      if (!endpoint.isIdle) continue;
      this.#endpoints.delete(id);
      this.#poolOf(endpoint).due.delete(endpoint);
    }
  }
}
