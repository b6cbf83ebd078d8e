/** The reasons why an address is on a project's suppression list, from the weakest to the strongest. */
export const SUPPRESSION_REASONS = ['manual', 'unsubscribe', 'bounce', 'complaint'] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
