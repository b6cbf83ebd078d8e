/** The spam filter levels of a mailbox (docs/contract.md, Mailbox). */
export const SPAM_LEVELS = ['off', 'low', 'medium', 'high'] as const;

export type SpamLevel = (typeof SPAM_LEVELS)[number];
