/** Slots for attempts, and the webhooks that take turns at them. */
import type { Endpoint, Sendable } from './endpoint.ts';

export interface PoolLimits {
  /** Attempts under way at once. */
  slots: number;
  /** Deliveries claimed ahead of the slots. */
  ahead: number;
  /** Deliveries claimed in a second. */
  perSecond: number;
}

/** How many deliveries to claim for a webhook. */
export interface ClaimPlan<Item extends Sendable> {
  endpoint: Endpoint<Item>;
  limit: number;
}

export class SlotPool<Item extends Sendable> {
  readonly #limits: PoolLimits;
  /** With something due in the database, the longest unserved first. */
  readonly due = new Set<Endpoint<Item>>();
  /** With something to send and a share that allows it, the longest unserved first. */
  readonly ready = new Set<Endpoint<Item>>();
  inFlight = 0;
  /** Claimed, and not yet begun. */
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

  /** Shares out evenly what is free. A webhook that gets something goes to the end of the queue. */
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

  /** Counts what was claimed against the rate. */
  claimed(count: number): void {
    this.notBegun += count;
    this.#allowance -= count;
  }
}
