/**
 * Notifies browsers of new mail. Runs in all processes with the role http. Delivery of mail takes no part: the sender compares the next UID of
 * the Inbox with the UID up to which a browser was notified, for mailboxes that the notices of the store name, and once a minute for all.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { within } from '../../concurrency/within.ts';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { type Checked, type ClaimedPush, claimPushes, composePush } from './claim-pushes.ts';
import { type PushClientOptions, type PushOutcome, sendPush } from './push-client.ts';
import type { PushKey } from './push-key.ts';
import { openTarget } from './push-target.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of requests that a process sends at once. */
const AT_ONCE = 8;
/** The maximum number of mailboxes that are remembered as changed. The check of all subscriptions finds the others. */
const MAX_CHANGED = 10_000;
const CHECKED_AT_ONCE = 500;
/** After this many failures, the notification is dropped. */
const MAX_ATTEMPTS = 4;
const CLOSE_TIMEOUT_MS = 1_000;

export interface PushSenderOptions extends PushClientOptions {
  database: Database;
  sealer: Sealer;
  key: Pick<PushKey, 'read'>;
  logger: Pick<Logger, 'error'>;
}

export class PushSender implements AsyncDisposable {
  readonly #options: PushSenderOptions;
  /** The time until which a mailbox is checked again: mail that arrives in the pause after a notification is reported after the pause. */
  readonly #changed = new BoundedMap<string, number>(MAX_CHANGED);
  readonly #inFlight = new Set<Promise<void>>();
  #passing: Promise<void> | null = null;
  #sweptMs = -Infinity;
  #isStopped = false;

  constructor(options: PushSenderOptions) {
    this.#options = options;
  }

  /** Call when a folder of the mailbox has changed. */
  noteChange(mailboxId: string): void {
    this.#changed.set(mailboxId, performance.now() + TIMINGS.restMs + 2 * TIMINGS.pollMs);
  }

  /** Starts a pass unless one is running. Never throws. */
  tick(): void {
    if (this.#isStopped) return;
    this.#passing ??= this.#pass()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#passing = null;
      });
  }

  /** Sends the notifications that are due, and waits for them. */
  async send(): Promise<void> {
    this.tick();
    await this.#passing;
    await Promise.all(this.#inFlight);
  }

  async #pass(): Promise<void> {
    const nowMs = performance.now();
    const isSweep = nowMs - this.#sweptMs >= TIMINGS.sweepMs;
    for (const [mailboxId, untilMs] of this.#changed) if (untilMs < nowMs) this.#changed.delete(mailboxId);
    const changed = [...this.#changed.keys()];
    if (isSweep) this.#sweptMs = nowMs;
    const checks: Checked[] = isSweep ? ['all'] : ['failed'];
    for (let at = 0; !isSweep && at < changed.length; at += CHECKED_AT_ONCE)
      checks.push({ mailboxIds: changed.slice(at, at + CHECKED_AT_ONCE) });
    for (const checked of checks) await this.#sendAll(checked);
  }

  /** Claims only as many as can be sent at once, because a claimed notification that is not sent is lost. */
  async #sendAll(checked: Checked): Promise<void> {
    for (;;) {
      while (this.#inFlight.size >= AT_ONCE) await Promise.race(this.#inFlight);
      if (this.#isStopped) return;
      const limit = AT_ONCE - this.#inFlight.size;
      const claimed = await claimPushes(this.#options.database, checked, limit);
      for (const each of claimed) {
        const sending = this.#sendOne(each)
          .catch((error: unknown) => this.#report(error, each))
          .finally(() => this.#inFlight.delete(sending));
        this.#inFlight.add(sending);
      }
      if (claimed.length === 0) return;
    }
  }

  async #sendOne(claimed: ClaimedPush): Promise<void> {
    const { database, sealer, key } = this.#options;
    const pair = await key.read();
    if (claimed.vapidKey !== pair.publicKey)
      return this.#settle(claimed, { kind: 'ended', error: 'the key of the installation was replaced' });
    const message = await composePush(database, claimed);
    if (message === null) return;
    const target = openTarget(sealer, claimed.sessionId, claimed.targetSealed);
    await this.#settle(claimed, await sendPush(this.#options, pair, target, message));
  }

  async #settle(claimed: ClaimedPush, outcome: PushOutcome): Promise<void> {
    const { projectId, mailboxId, sessionId, targetSealed, attempts, since } = claimed;
    const { database } = this.#options;
    // If the browser has subscribed again in the meantime, the outcome is that of its previous subscription.
    const isMine = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and session_id = ${sessionId}
      and target_sealed = ${targetSealed}`;
    if (outcome.kind === 'ended') await sql`delete from push_subscriptions where ${isMine}`.execute(database);
    else if (outcome.kind === 'failed' && attempts + 1 < MAX_ATTEMPTS) {
      const delayMs = Math.max(outcome.retryAfterMs, TIMINGS.firstDelayMs * 2 ** attempts);
      await sql`
        update push_subscriptions
        set attempts = attempts + 1, notified_uid = least(notified_uid, ${since}),
          next_at = now() + ${Math.min(delayMs, TIMINGS.maxDelayMs)} * interval '1 millisecond'
        where ${isMine}`.execute(database);
    } else if (attempts > 0)
      await sql`update push_subscriptions set attempts = 0 where ${isMine}`.execute(database);
  }

  #report(error: unknown, claimed?: ClaimedPush): void {
    if (this.#isStopped || isDatabaseAway(error)) return;
    const of = claimed && { mailboxId: encodeId('mbx', claimed.mailboxId) };
    this.#options.logger.error({ err: error, ...of }, LOG_MESSAGES.pushesNotSent);
  }

  /** Waits a moment for the notifications that are being sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await within(CLOSE_TIMEOUT_MS, Promise.all([this.#passing, ...this.#inFlight]), undefined);
  }
}

/** Sends notifications until it is disposed of. */
export function runPushes(
  sender: PushSender,
  changes: { subscribeAll(onChange: (mailboxId: string) => void): Disposable },
): AsyncDisposable {
  const subscription = changes.subscribeAll((mailboxId) => sender.noteChange(mailboxId));
  const timer = setInterval(() => sender.tick(), TIMINGS.pollMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      subscription[Symbol.dispose]();
      await sender[Symbol.asyncDispose]();
    },
  };
}
