/**
 * Header fields that control how a relay handles a message: copies, send time, IP address, template, tracking, or whether to
 * send it at all. Only the relay's operator may set these fields; API callers may not (docs/contract.md, Header fields).
 * Collected from each service's documentation.
 */
export const RELAY_ORDERS: readonly string[] = [
  // SendGrid, Aurora SendCloud
  'X-SMTPAPI',
  // Amazon SES: with another configuration set, bounces would be reported elsewhere.
  'X-SES-*',
  // Mailgun
  'X-Mailgun-*',
  // Postmark
  'X-PM-*',
  // Mailjet
  'X-MJ-*',
  'X-Mailjet-*',
  // SparkPost, Momentum
  'X-MSYS-*',
  // Mandrill
  'X-MC-*',
  // Brevo
  'X-Mailin-*',
  'X-Sib-*',
  'sender.ip',
  'idempotencyKey',
  // Elastic Email
  'X-ElasticEmail-*',
  'Channel',
  // Mailtrap, MailerSend, SMTPeter, Emailit, Contactlab, SocketLabs, Resend, Azure
  'X-MT-*',
  'X-MailerSend-*',
  'X-SMTPeter-*',
  'X-Emailit-*',
  'X-Clab-*',
  'X-xsMessageId',
  'X-xsMailingId',
  'Resend-Idempotency-Key',
  'X-MS-AcsEmail-*',
  // Exchange: spam level, and a sender treated as internal
  'X-MS-Exchange-*',
  // PowerMTA
  'X-Virtual-MTA',
  'X-Job',
  'X-EnvID',
  'X-DKIM-Options',
  // MailerQ, GreenArrow, Postal
  'X-MQ-*',
  'X-GreenArrow-*',
  'X-Postal-*',
  // Sendmail
  'Errors-To',
  'Return-Receipt-To',
  // Postfix, qmail and Courier bounce a message that they believe they have already delivered.
  'Delivered-To',
  // RFC 5322, section 3.6.6. Some servers treat Resent-Bcc as a recipient.
  'Resent-*',
];

const NAMES = new Set(RELAY_ORDERS.map((name) => name.toLowerCase()));
const PREFIXES = RELAY_ORDERS.filter((name) => name.endsWith('*')).map((name) =>
  name.slice(0, -1).toLowerCase(),
);

/** Whether a header field controls a relay. The case of the name does not matter. */
export function isRelayOrder(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
