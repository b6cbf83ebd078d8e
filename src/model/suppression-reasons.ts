/** Why a project sends no more mail to an address, from the weakest to the strongest. */
export const SUPPRESSION_REASONS = ['manual', 'unsubscribe', 'bounce', 'complaint'] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
