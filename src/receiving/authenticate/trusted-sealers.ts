/**
 * Who is believed about what mail was before they changed it (RFC 8617, section 7.2), where POSTHORN_ARC_SEALERS names no others: forwarders
 * and hosts of lists that check what they accept, and that more than a few people use. docs/operate/spam.md, Forwarded mail, has the same list.
 * Microsoft and Google seal with the domain itself, so nothing below one is trusted.
 */
export const DEFAULT_SEALERS: ReadonlySet<string> = new Set([
  'fastmail.com',
  'forwardemail.net',
  'gmail.com',
  'google.com',
  'googlegroups.com',
  'icloud.com',
  'messagingengine.com',
  'microsoft.com',
  'pobox.com',
  'topicbox.com',
  'yahoo.com',
  'zohomail.com',
]);
