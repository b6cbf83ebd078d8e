/**
 * Who is believed about what mail was before they changed it (RFC 8617, section 7.2): forwarders and hosts of lists that check
 * what they take in, and that more than a few people use. docs/operate/spam.md, Forwarded mail, has the same list.
 */
const TRUSTED_SEALERS: ReadonlySet<string> = new Set([
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

/** @param domain d= of a seal; Microsoft and Google seal with the domain itself, so nothing below one is trusted. */
export function isTrustedSealer(domain: string): boolean {
  return TRUSTED_SEALERS.has(domain);
}
