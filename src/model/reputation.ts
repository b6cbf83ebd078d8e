/** The rates that decide a sender's reputation, with the limits that providers have published (docs/operate/deliverability.md). */

/** With fewer recipients than this, a single one changes the rate too much. */
const LEAST_RECIPIENTS = 100;
/** The same for complaints, whose limits are so low that one complaint of 300 recipients exceeds them, unless there are several. */
const LEAST_DELIVERED = 1_000;
const LEAST_COMPLAINTS = 3;

export const REPUTATION_LIMITS = {
  /** A share of all recipients. */
  bounces: { warn: 0.02, bad: 0.05 },
  /** A share of the delivered recipients. */
  complaints: { warn: 0.001, bad: 0.003 },
} as const;

export type ReputationRate = keyof typeof REPUTATION_LIMITS;

/** Whether there are enough recipients for the rate to mean something. */
function isReliable(rate: ReputationRate, part: number, whole: number): boolean {
  if (whole < LEAST_RECIPIENTS) return false;
  return rate !== 'complaints' || whole >= LEAST_DELIVERED || part >= LEAST_COMPLAINTS;
}

/** Null: the rate is good, or not reliable. */
export function dangerOf(rate: ReputationRate, part: number, whole: number): 'warn' | 'bad' | null {
  if (!isReliable(rate, part, whole)) return null;
  const { warn, bad } = REPUTATION_LIMITS[rate];
  if (part / whole >= bad) return 'bad';
  return part / whole >= warn ? 'warn' : null;
}
