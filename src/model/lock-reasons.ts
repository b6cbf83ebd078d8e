/** Why a mailbox may send nothing for now: most of its mail was refused, or too many complained of it. */
export const LOCK_REASONS = ['refused', 'complained'] as const;
export type LockReason = (typeof LOCK_REASONS)[number];
