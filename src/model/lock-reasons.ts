/** The reasons for locking a mailbox from sending: most of its mail was rejected, or too many recipients complained. */
export const LOCK_REASONS = ['refused', 'complained'] as const;
export type LockReason = (typeof LOCK_REASONS)[number];
