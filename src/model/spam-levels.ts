/** How readily mail is taken for spam (docs/contract.md, Mailbox). */
export const SPAM_LEVELS = ['off', 'low', 'medium', 'high'] as const;

export type SpamLevel = (typeof SPAM_LEVELS)[number];
