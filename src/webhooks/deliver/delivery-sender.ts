/**
 * Makes the deliveries of a `DeliveryQueue`:
 *
 *   due --claim--> claimed --load--> waiting --a slot--> POST --answer--> delivered, due later, or failed
 *
 * A claim records the attempt and moves the due time of the row to the end of the claim. After that time the row is due again once the
 * lease of the claim has expired. Until then, a live worker may have a response that it cannot write to the database yet. A receiver may
 * get an event twice if the worker dies right after the response, but never once the response is written.
 */
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { SharedStatements } from '../../db/shared-statements.ts';
import { within } from '../../concurrency/within.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { isSuccess, outcomeOf, unsentOutcome } from './attempt-outcome.ts';
import type { ClaimTimings } from './claim-deliveries.ts';
import { ClaimLease } from './claim-lease.ts';
import type { ClaimedAttempt, DeliveryItem, DeliveryQueue, Load, Settled } from './delivery-queue.ts';
import { DeliveryRecorder } from './delivery-recorder.ts';
import type { Endpoint } from './endpoint.ts';
import { type WebhookAttempt, Slots } from './slots.ts';
import { TIMINGS } from './timings.ts';

export { MAX_IN_FLIGHT } from './slots.ts';

/** The polling interval when nothing wakes the sender, or after a database error. */
const POLL_MS = 1_000;
/** The pause between two polls for due webhooks: at least this long, and at least `SCAN_GAP_FACTOR` times the duration of a poll. */
const SCAN_GAP_MS = 10;
const SCAN_GAP_FACTOR = 4;
/** The interval at which webhooks at their limit or rate are checked again when nothing else happens. */
const PUMP_MS = 50;
/**
 * A delivery claimed longer ago than this is released instead of begun: its webhook may have changed in the meantime, and a process that
 * was stopped and resumed would be late with its response.
 */
const MAX_WAIT_MS = 2_000;
/** The maximum number of responses that are not written yet. Beyond this number, the database is the bottleneck. */
const MAX_UNRECORDED = 1_000;
/** The maximum time that a shutdown waits. A shutdown may take ten seconds in total, and later steps need part of this time. */
const STOP_GRACE_MS = 7_000;

export interface DeliverySenderOptions {
  database: Database;
  /** See `LeaseOptions`. */
  shared?: SharedStatements;
  logger: Logger;
  /** Whether sending is paused. Checked before each claim. */
  isPaused: () => boolean;
  /** Whether an owner polls for due deliveries and calls `wake`. Default: the sender polls for itself. */
  isPolled?: boolean;
  /** For tests: a monotonic clock. */
  nowMs?: () => number;
  /** Default: `TIMINGS`. */
  timings?: ClaimTimings;
}

/**
 * The time just before a claim, on two clocks. The monotonic clock may stop while the machine sleeps, and the wall clock may be set back.
 */
interface Moment {
  monotonicMs: number;
  wallMs: number;
}

type Waiting<Item> = Item & { claimedAt: Moment };

interface Claim<Claimed extends ClaimedAttempt, Item extends DeliveryItem<Claimed>> {
  endpoint: Endpoint<Waiting<Item>>;
  claimed: Claimed[];
}

export class DeliverySender<Claimed extends ClaimedAttempt, Item extends DeliveryItem<Claimed>>
  implements AsyncDisposable
{
  readonly #queue: DeliveryQueue<Claimed, Item>;
  readonly #options: DeliverySenderOptions;
  readonly #timings: ClaimTimings;
  readonly #nowMs: () => number;
  readonly #slots = new Slots<Waiting<Item>>();
  readonly #recorder: DeliveryRecorder<Claimed>;
  readonly #lease: ClaimLease;
  readonly #tasks = new Set<Promise<void>>();
  /** Deliveries whose attempt began and whose end is not written, oldest claim first. */
  readonly #open = new Map<string, Moment>();
  #timer: NodeJS.Timeout | undefined;
  #isPumping = false;
  #pumpAgain = false;
  #nextScanMs = 0;
  #earliestScanMs = 0;
  /** The position at which the next poll continues. */
  #scanAfter: string | null = null;
  /** No poll runs until this time, because the database failed or sending is paused. */
  #pausedUntilMs = 0;
  #stopping = false;

  constructor(queue: DeliveryQueue<Claimed, Item>, options: DeliverySenderOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#recorder = new DeliveryRecorder(queue, options.logger);
    this.#lease = new ClaimLease(options.database, options.shared);
  }

  /** Signals that deliveries may be due. The first call starts the sender; further calls cost next to nothing. */
  readonly wake = (): void => {
    this.#nextScanMs = Math.min(this.#nextScanMs, this.#earliestScanMs);
    this.#pump();
  };

  /**
   * Stops claiming, releases deliveries that were only claimed, and waits up to `STOP_GRACE_MS` for responses to requests in flight. A
   * delivery without a response in this time is due again at the end of its claim.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#release(this.#slots.takeAllWaiting().map(({ delivery }) => delivery));
    await within(STOP_GRACE_MS, this.#settle(), undefined);
    this.#recorder.close();
    await this.#lease.end();
  }

  async #settle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
  }

  /** @param onEnd called when the task has ended, even if it failed */
  #track(task: Promise<void>, onEnd?: () => void): void {
    this.#tasks.add(task);
    const end = (): void => {
      this.#tasks.delete(task);
      onEnd?.();
    };
    // One `then` instead of `catch` and `finally`, which create several promises, because each delivery has two tasks.
    task.then(end, (error: unknown) => {
      this.#options.logger.error({ err: error }, LOG_MESSAGES.webhookSenderFailed);
      end();
    });
  }

  /** Claims and begins all deliveries that can be begun, after the current iteration of the event loop. */
  #pump(): void {
    this.#pumpAgain = true;
    if (this.#isPumping || this.#stopping) return;
    this.#isPumping = true;
    clearTimeout(this.#timer);
    setImmediate(() => this.#track(this.#pumpOnce()));
  }

  async #pumpOnce(): Promise<void> {
    while (this.#pumpAgain && !this.#stopping) {
      this.#pumpAgain = false;
      try {
        const nowMs = this.#nowMs();
        if (this.#options.isPaused()) this.#pausedUntilMs = nowMs + POLL_MS;
        if (nowMs < this.#pausedUntilMs) break;
        if (nowMs >= this.#nextScanMs) await this.#scan();
        await this.#claim();
      } catch (error) {
        // If the response to a claim is lost, its deliveries are due again at the end of the claim.
        this.#recorder.report(error, 'claim');
        this.#pausedUntilMs = this.#nowMs() + POLL_MS;
      }
    }
    this.#isPumping = false;
    if (this.#stopping) return;
    const nextMs = Math.max(this.#nextScanMs, this.#pausedUntilMs) - this.#nowMs();
    const waitMs = Math.min(Math.max(nextMs, 0), POLL_MS);
    this.#timer = setTimeout(() => this.#pump(), this.#slots.hasDue ? Math.min(waitMs, PUMP_MS) : waitMs);
  }

  async #scan(): Promise<void> {
    const startedMs = this.#nowMs();
    // The time is set before the statement, so that a wake during the statement is not lost.
    this.#nextScanMs = this.#options.isPolled === true ? Infinity : startedMs + POLL_MS;
    const { webhooks, next } = await this.#queue.findDue(this.#scanAfter);
    const endedMs = this.#nowMs();
    this.#earliestScanMs =
      endedMs + Math.min(Math.max(SCAN_GAP_MS, SCAN_GAP_FACTOR * (endedMs - startedMs)), POLL_MS);
    for (const { dueInMs, healthy, enabled, ...key } of webhooks) {
      if (dueInMs > 0) this.#nextScanMs = Math.min(this.#nextScanMs, endedMs + dueInMs);
      else if (enabled) this.#slots.setDue(key, healthy);
    }
    this.#scanAfter = next;
    if (next !== null) this.#nextScanMs = 0;
    this.#nextScanMs = Math.max(this.#nextScanMs, this.#earliestScanMs);
    const stranded = webhooks.filter(({ enabled }) => !enabled);
    if (stranded.length > 0) await this.#queue.failUndeliverable(stranded);
  }

  async #claim(): Promise<void> {
    if (this.#recorder.unrecorded > MAX_UNRECORDED || this.#isLate()) return;
    const claimedAt: Moment = { monotonicMs: this.#nowMs(), wallMs: Date.now() };
    const plans = this.#slots.plan(claimedAt.monotonicMs);
    if (plans.length === 0) return;
    // Only now, because the lease costs a heartbeat every few seconds, and many installations have no webhooks.
    const leaseId = await this.#lease.id();
    const deliveries = await this.#queue.claim(
      leaseId,
      plans.map(({ endpoint, limit }) => ({ ...endpoint.key, limit })),
      this.#timings,
    );
    const byWebhook = Map.groupBy(deliveries, ({ webhookId }) => webhookId);
    const claims: Claim<Claimed, Item>[] = [];
    for (const { endpoint, limit } of plans) {
      const claimed = byWebhook.get(endpoint.key.webhookId) ?? [];
      if (claimed.length < limit) this.#slots.setDone(endpoint);
      this.#slots.claimed(endpoint, claimed.length);
      if (claimed.length > 0) claims.push({ endpoint, claimed });
    }
    if (claims.length === 0) return;
    this.#track(this.#load(claims, claimedAt));
    // Further webhooks may have deliveries to claim.
    this.#pumpAgain = true;
  }

  /**
   * Whether the outcome of any attempt is still unwritten after half of its claim. In this case nothing is claimed, because a claim might
   * return the same delivery.
   */
  #isLate(): boolean {
    const [oldest] = this.#open.values();
    return oldest !== undefined && this.#sinceMs(oldest) > this.#timings.claimMs / 2;
  }

  async #load(claims: readonly Claim<Claimed, Item>[], claimedAt: Moment): Promise<void> {
    const all = claims.flatMap(({ claimed }) => claimed);
    const load = await this.#queue.load(all).catch((error: unknown): Load<Claimed, Item> => {
      this.#recorder.report(error, 'load');
      return { loaded: [], withdrawn: all, unsendable: [] };
    });
    const byWebhook = Map.groupBy(load.loaded, ({ delivery }) => delivery.webhookId);
    for (const { endpoint, claimed } of claims) {
      const items = byWebhook.get(endpoint.key.webhookId) ?? [];
      this.#slots.loaded(
        endpoint,
        claimed.length,
        items.map((item) => ({ ...item, claimedAt })),
      );
    }
    if (this.#stopping) load.withdrawn.push(...this.#slots.takeAllWaiting().map(({ delivery }) => delivery));
    else this.#beginMore();
    this.#release(load.withdrawn);
    for (const { delivery, error } of load.unsendable) {
      const finished = unsentOutcome(delivery, error, Math.random());
      this.#queue.observeEnd(finished);
      this.#record(finished, claimedAt);
    }
  }

  #beginMore(): void {
    const late: Claimed[] = [];
    for (;;) {
      const nowMs = this.#nowMs();
      const attempt = this.#slots.begin(nowMs);
      if (attempt === null) break;
      const { delivery, claimedAt } = attempt.item;
      if (this.#sinceMs(claimedAt) <= MAX_WAIT_MS) this.#track(this.#make(attempt));
      else {
        this.#slots.ended(attempt, null, nowMs);
        late.push(delivery);
      }
    }
    this.#release(late);
  }

  async #make(attempt: WebhookAttempt<Waiting<Item>>): Promise<void> {
    const { delivery, claimedAt } = attempt.item;
    this.#open.set(delivery.id, claimedAt);
    const observe = this.#queue.observe(attempt.item);
    const finished = await this.#post(attempt.item);
    this.#slots.ended(attempt, finished.wasRequested ? isSuccess(finished) : null, this.#nowMs());
    observe(finished);
    this.#record(finished, claimedAt);
    if (this.#stopping) return;
    // Deliveries that were claimed ahead are released, because the receiver does not respond in time.
    if (finished.durationMs !== null && finished.durationMs > MAX_WAIT_MS)
      this.#release(this.#slots.takeWaiting(attempt.endpoint).map((waiting) => waiting.delivery));
    this.#beginMore();
    this.#pump();
  }

  /** Never rejects. Otherwise a bug would block the slot, and so the webhook, until the process ends. */
  async #post(item: Item): Promise<Settled<Claimed>> {
    const { delivery } = item;
    try {
      const result = await this.#queue.post(item);
      return 'unsent' in result
        ? unsentOutcome(delivery, result.unsent, Math.random())
        : outcomeOf(delivery, result, Math.random());
    } catch (error) {
      this.#options.logger.error({ err: error }, LOG_MESSAGES.webhookSenderFailed);
      return unsentOutcome(delivery, 'the service failed on this attempt', Math.random());
    }
  }

  #record(finished: Settled<Claimed>, claimedAt: Moment): void {
    const recorded = this.#recorder.record(finished, () => this.#sinceMs(claimedAt) < this.#timings.claimMs);
    this.#track(recorded, () => this.#open.delete(finished.id));
  }

  #sinceMs({ monotonicMs, wallMs }: Moment): number {
    return Math.max(this.#nowMs() - monotonicMs, Date.now() - wallMs);
  }

  /**
   * Releases claimed deliveries. Tries only once, because a second try could hit the next claim. If the release fails, the deliveries are
   * due again at the end of this claim.
   */
  #release(deliveries: readonly Claimed[]): void {
    if (deliveries.length === 0) return;
    this.#track(
      this.#queue
        .release(deliveries)
        .then(this.wake, (error: unknown) => this.#recorder.report(error, 'give back')),
    );
  }
}
