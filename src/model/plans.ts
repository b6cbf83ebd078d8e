/** What a project may use (contract, Plan limits). */
export const PLANS = ['free', 'paid'] as const;

export type Plan = (typeof PLANS)[number];
