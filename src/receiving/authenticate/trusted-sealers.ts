/**
 * The default for POSTHORN_ARC_SEALERS: sealers that are trusted to report how mail was authenticated before they changed it (RFC
 * 8617, section 7.2). These are large forwarders and mailing list hosts that check the mail they accept. docs/operate/spam.md,
 * Forwarded mail, has the same list. Microsoft and Google seal with exactly these domains, so no subdomains are trusted.
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
