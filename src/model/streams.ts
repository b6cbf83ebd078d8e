/**
 * What kind of mail it is. The streams of a project take turns: mail that somebody waits for does not stand behind a
 * newsletter (docs/contract.md, sendEmail).
 */
export const STREAMS = ['transactional', 'bulk'] as const;
export type Stream = (typeof STREAMS)[number];

/** The streams of the queue: what mailboxes send has one of its own, which nobody can ask for. */
export type QueueStream = Stream | 'mailbox';
