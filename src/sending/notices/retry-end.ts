/** How long an unfinished recipient is retried, by the rules of the queue (docs/delivery.md, Retries). */
import * as clock from '../../model/clock.ts';
import { type ClaimedRow, retryClockStartMs } from '../../queue/claim.ts';
import type { InstallationClock, ProviderKind } from '../../queue/provider-kind.ts';
import { TIMINGS as DELIVERY } from '../deliver/timings.ts';

/**
 * When a recipient is abandoned. Without such a time, the recipient waits, and the retry days count from the end of the wait.
 * `sandbox`, `real`: the recipient was accepted for this kind of provider, and the installation has the other kind. `provider`: no process may send.
 * `destination`: mail to the domain is paused.
 */
export type RetryEnd = { until: Date } | { waitsFor: ProviderKind | 'provider' | 'destination' };

/** A row of the queue, with the pause of its destination. */
interface WaitingQueueRow extends Pick<ClaimedRow, 'emailId' | 'scheduledAt' | 'waitedUntil'> {
  /** The kind of provider that the recipient was accepted for, if the installation has the other kind; otherwise null. */
  otherKind: ProviderKind | null;
  /** Whether mail to the recipient's domain is paused. */
  isPaused: boolean;
  /** When mail to the recipient's domain was last resumed; null if it was not paused in the last days. */
  resumedAt: Date | null;
}

export function retryEndOf(row: WaitingQueueRow, installation: InstallationClock): RetryEnd {
  if (row.otherKind !== null) return { waitsFor: row.otherKind };
  if (installation.isStopped) return { waitsFor: 'provider' };
  if (row.isPaused) return { waitsFor: 'destination' };
  // The same rule as `PausedDestinations.ageFromMs` for attempts.
  const fromMs = Math.max(retryClockStartMs(row), row.resumedAt?.getTime() ?? 0, installation.fromMs);
  // A recipient whose days are over when its wait ends is still tried once.
  return { until: new Date(Math.max(fromMs + DELIVERY.giveUpAfterMs, clock.nowMs())) };
}
