/** What a grant allows its member to do with a shared mailbox (docs/shared-mailboxes.md). */

/** `read`: reads mail and changes nothing. `write`: also changes flags, moves, deletes and adds mail, and changes folders. */
export const MAILBOX_ACCESS = ['read', 'write'] as const;
export type MailboxAccess = (typeof MAILBOX_ACCESS)[number];

/**
 * `on-behalf`: sends from the address of the shared mailbox, with the member's own address in Sender. `as`: sends from the address as the
 * shared mailbox itself would.
 */
export const SENDING_RIGHTS = ['none', 'on-behalf', 'as'] as const;
export type SendingRight = (typeof SENDING_RIGHTS)[number];
