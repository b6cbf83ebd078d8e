/** The protocols and clients through which a mailbox is opened. */
export const MAIL_DOORS = ['imap', 'pop3', 'submission', 'web'] as const;
export type MailDoor = (typeof MAIL_DOORS)[number];
