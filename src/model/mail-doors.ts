/** The ways into a mailbox. */
export const MAIL_DOORS = ['imap', 'pop3', 'submission', 'web'] as const;
export type MailDoor = (typeof MAIL_DOORS)[number];
