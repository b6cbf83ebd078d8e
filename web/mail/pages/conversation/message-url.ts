/** The URL for a part of a message: its frame, source or attachment. Each part has its own content security policy. */
export function messageUrl(mailbox: string, id: string, what: string): string {
  return `/mail/api/mailboxes/${mailbox}/messages/${id}/${what}`;
}
