/** The address of something of a message: its frame, its source, a part. Each answers with a policy of its own. */
export function messageUrl(mailbox: string, id: string, what: string): string {
  return `/mail/api/mailboxes/${mailbox}/messages/${id}/${what}`;
}
