/** The end of the retries for an unfinished recipient, by the rules of the queue (docs/delivery.md, Retries). */
import * as clock from '../../model/clock.ts';
import { type ClaimedRow, retryClockStartMs } from '../../queue/claim.ts';
import type { InstallationClock, ProviderKind } from '../../queue/provider-kind.ts';
import { TIMINGS as DELIVERY } from '../deliver/timings.ts';

/**
 * The time at which a recipient is abandoned (`until`), or the reason why the recipient waits. A waiting recipient has no such time,
 * because its retry period starts again after the wait. `sandbox`, `real`: the recipient was accepted for this kind of provider, and the
 * installation now uses the other kind. `provider`: no process may send. `destination`: mail to the domain is paused.
 */
export type RetryEnd = { until: Date } | { waitsFor: ProviderKind | 'provider' | 'destination' };

/** A row of the queue, and whether mail to the recipient's domain is or was paused. */
interface WaitingQueueRow extends Pick<ClaimedRow, 'emailId' | 'scheduledAt' | 'waitedUntil'> {
  /** The kind of provider for which the recipient was accepted, if the installation now uses the other kind. Otherwise null. */
  otherKind: ProviderKind | null;
  /** Whether mail to the recipient's domain is paused. */
  isPaused: boolean;
  /** When mail to the recipient's domain was last resumed. Null if it was not paused recently. */
  resumedAt: Date | null;
}

export function retryEndOf(row: WaitingQueueRow, installation: InstallationClock): RetryEnd {
  if (row.otherKind !== null) return { waitsFor: row.otherKind };
  if (installation.isStopped) return { waitsFor: 'provider' };
  if (row.isPaused) return { waitsFor: 'destination' };
  // The rule is the same as for attempts (`PausedDestinations.retryStartMs`).
  const fromMs = Math.max(retryClockStartMs(row), row.resumedAt?.getTime() ?? 0, installation.fromMs);
  // A recipient whose retry period is over when its wait ends is still attempted once.
  return { until: new Date(Math.max(fromMs + DELIVERY.abandonAfterMs, clock.nowMs())) };
}
