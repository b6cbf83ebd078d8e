/**
 * Header fields by which the sender of a message gives orders to a server on its way: who gets a copy, when it goes, over
 * which address, with which template or tracking, whether at all. They belong to the operator of the relay, who is not the
 * caller of the API (docs/contract.md, Header fields). From the documentation of each service.
 */
export const RELAY_ORDERS: readonly string[] = [
  // SendGrid, Aurora SendCloud
  'X-SMTPAPI',
  // Amazon SES: with another configuration set the bounces would not come back here.
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
  // Exchange: a level of spam, a sender that counts as one of its own
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
  // Postfix, qmail and Courier return what they seem to have delivered before.
  'Delivered-To',
  // RFC 5322, section 3.6.6: who sent it on. To some servers Resent-Bcc is a recipient.
  'Resent-*',
];

const NAMES = new Set(RELAY_ORDERS.map((name) => name.toLowerCase()));
const PREFIXES = RELAY_ORDERS.filter((name) => name.endsWith('*')).map((name) =>
  name.slice(0, -1).toLowerCase(),
);

/** Whether a header field, in any case, is such an order. */
export function isRelayOrder(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
