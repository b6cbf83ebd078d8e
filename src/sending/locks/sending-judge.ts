/**
 * Checks mailboxes with rejected mail or complaints and locks mailboxes that would ruin the reputation of their domain (docs/mail-apps.md,
 * When sending is locked). Several workers may run the checks, and their correctness does not depend on a worker's memory.
 */
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { sendingLocks } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { lockForSending } from './lock-mailboxes.ts';
import { findRejected, readRecords } from './sending-records.ts';
import { judgeSending } from './thresholds.ts';
import { TIMINGS } from './timings.ts';

export interface SendingJudgeOptions {
  database: Database;
  logger: Logger;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'scanMs'>;
}

/** The number of mailboxes whose mail is counted per statement. */
const SLICE = 50;

export class SendingJudge implements AsyncDisposable {
  readonly #options: SendingJudgeOptions;
  #nextMs = 0;
  #nextIdleMs = 0;
  /** All mail rejected before this time has been checked. Null before the first check. */
  #seenMs: number | null = null;
  #scanning: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: SendingJudgeOptions) {
    this.#options = options;
  }

  /**
   * Starts a check if one is due. A check that failed is repeated after the shorter pause. Never throws.
   * @param hasRejected false: as far as a poll shows, no mail was rejected lately
   */
  tick(hasRejected = true): void {
    const nowMs = performance.now();
    if (this.#isStopped || this.#scanning !== null || nowMs < this.#nextMs) return;
    if (!hasRejected && nowMs < this.#nextIdleMs) return;
    let hasFailed = false;
    this.#scanning = this.scan()
      .catch((error: unknown) => {
        hasFailed = true;
        if (!this.#isStopped && !isDatabaseAway(error))
          this.#options.logger.error({ err: error }, LOG_MESSAGES.sendingNotJudged);
      })
      .finally(() => {
        this.#scanning = null;
        this.#nextMs = performance.now() + (this.#options.timings ?? TIMINGS).scanMs;
        this.#nextIdleMs = hasFailed ? this.#nextMs : performance.now() + TIMINGS.idleMs;
      });
  }

  /** Runs one check and locks mailboxes over the thresholds. */
  async scan(): Promise<void> {
    const { database } = this.#options;
    const nowMs = clock.nowMs();
    const since = this.#seenMs === null ? nowMs - TIMINGS.firstLookMs : this.#seenMs - TIMINGS.commitMs;
    const mailboxes = await findRejected(database, new Date(since));
    for (let at = 0; at < mailboxes.length && !this.#isStopped; at += SLICE)
      await this.#judge(mailboxes.slice(at, at + SLICE));
    if (!this.#isStopped) this.#seenMs = nowMs;
  }

  async #judge(mailboxes: Awaited<ReturnType<typeof findRejected>>): Promise<void> {
    const { database, logger } = this.#options;
    const records = await readRecords(database, mailboxes);
    const locking = records.flatMap(({ projectId, mailboxId, ...record }) => {
      const reason = judgeSending(record);
      return reason === null ? [] : [{ projectId, mailboxId, reason, record }];
    });
    for (const { projectId, mailboxId, reason, record } of await lockForSending(database, locking)) {
      sendingLocks.inc({ reason });
      const { tried, refused, bounced, triedInWeek, complained } = record;
      logger.warn(
        {
          projectId: encodeId('prj', projectId),
          mailboxId: encodeId('mbx', mailboxId),
          reason,
          ...(reason === 'refused' ? { tried, refused, bounced } : { triedInWeek, complained }),
        },
        LOG_MESSAGES.sendingLocked,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#scanning;
  }
}
