/** Email addresses: one parser for policy, envelope and header fields (RFC 5321, RFC 5322, RFC 6531). */
export { type MailboxAddress, parseMailbox } from './parse-mailbox.ts';
export { parseMailboxes } from './parse-mailboxes.ts';
export { type ListedAddress, readAddressList } from './read-address-list.ts';
export { formatMailbox, formatPhrase } from './quoting.ts';
