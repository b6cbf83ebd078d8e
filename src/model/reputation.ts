/** The rates that decide a sender's reputation, with the limits that providers have published (docs/operate/deliverability.md). */

/** With fewer recipients than this, a single one changes the rate too much. */
export const LEAST_RECIPIENTS = 100;

export const REPUTATION_LIMITS = {
  /** A share of all recipients. */
  bounces: { warn: 0.02, bad: 0.05 },
  /** A share of the delivered recipients. */
  complaints: { warn: 0.001, bad: 0.003 },
} as const;

export type ReputationRate = keyof typeof REPUTATION_LIMITS;

/** Null: the rate is good, or there are too few recipients to tell. */
export function dangerOf(rate: ReputationRate, part: number, whole: number): 'warn' | 'bad' | null {
  if (whole < LEAST_RECIPIENTS) return null;
  const { warn, bad } = REPUTATION_LIMITS[rate];
  if (part / whole >= bad) return 'bad';
  return part / whole >= warn ? 'warn' : null;
}
