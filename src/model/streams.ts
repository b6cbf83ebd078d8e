/**
 * The kinds of mail that a project sends. Streams get fair shares of the queue, so a password reset does not wait for a
 * newsletter (docs/contract.md, sendEmail).
 */
export const STREAMS = ['transactional', 'bulk'] as const;
export type Stream = (typeof STREAMS)[number];

/** The streams of the queue. Mail from mailboxes has its own stream, which the API does not accept. */
export type QueueStream = Stream | 'mailbox';
