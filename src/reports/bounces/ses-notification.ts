import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import { returnPathOf, RETURN_TAG, SUBMISSION_TAG } from '../../sending/deliver/ses/return-tag.ts';
import type { OriginalMessage, Report, ReportedRecipient } from './report.ts';
import { reportedRecipient } from './reported-recipient.ts';

/**
 * The maximum length, which is the size of the largest SNS message. Attack: with a smaller limit a project could hide its bounces behind
 * long headers.
 */
const MAX_JSON = 262_144;
const MAX_RECIPIENTS = 200;
const MAX_FIELDS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Reads a report from Amazon SES about a message: JSON in an SNS notification, or in an SNS mail with more text after the JSON. Published
 * events (`eventType`) and notifications of an identity (`notificationType`) have the same form. Returns null if the text has another
 * form, or if the text reports nothing that changes an email. Never throws.
 */
export function readSesNotification(text: string): Report | null {
  const start = text.indexOf('{');
  if (start === -1 || start > 2_000) return null;
  const head = text.slice(start, start + MAX_JSON);
  if (!/"(?:notificationType|eventType|Type)"/.test(head)) return null;
  const outer = parseObject(head);
  const inner = typeof outer?.['Message'] === 'string' ? parseObject(outer['Message']) : outer;
  return inner === null ? null : fromNotification(inner);
}

type Json = Record<string, unknown>;

function fromNotification(json: Json): Report | null {
  const mail = record(json['mail']);
  const original = originalOf(mail);
  switch (json['notificationType'] ?? json['eventType']) {
    case 'Bounce':
      return fromBounce(record(json['bounce']), original);
    case 'Complaint':
      return fromComplaint(record(json['complaint']), original);
    case 'Delivery':
      return fromDelivery(record(json['delivery']), original);
    case 'DeliveryDelay':
      return fromDelay(record(json['deliveryDelay']), original);
    case 'Reject': {
      const reason = text(record(json['reject'])['reason']) ?? '';
      return { kind: 'rejected', reason, recipients: texts(mail['destination']), original };
    }
    default:
      return null;
  }
}

/** The meaning of SES subtypes, used if the server's own words say nothing. */
const WORDS: Readonly<Record<string, string>> = {
  NoEmail: '5.1.1 no such address',
  Suppressed: 'the address is on the global suppression list of Amazon SES',
  OnAccountSuppressionList: 'the address is on the suppression list of the account at Amazon SES',
  MailboxFull: '5.2.2 mailbox full',
  MessageTooLarge: '5.3.4 message too large',
  ContentRejected: '5.6.0 content rejected',
  AttachmentRejected: '5.6.0 attachment rejected',
};
const TYPES: Readonly<Record<string, 'hard' | 'soft'>> = { Permanent: 'hard', Transient: 'soft' };

function fromBounce(bounce: Json, original: OriginalMessage | null): Report {
  const type = text(bounce['bounceType']) ?? '';
  const subType = text(bounce['bounceSubType']) ?? '';
  const bounced = list(bounce['bouncedRecipients']);
  // If no recipient has a report from a server, this is not a bounce but an automatic reply from a mail client.
  const isAutomatic = type === 'Transient' && subType === 'General' && !bounced.some(hasReport);
  if (isAutomatic) return { kind: 'other', why: 'auto-reply' };
  const said = own(WORDS, subType) ?? `${type} ${subType}`;
  const bounceType = own(TYPES, type);
  const recipients = bounced.map((one) => ({
    ...recipient(one, {
      action: text(one['action']) === 'delayed' ? 'delayed' : 'failed',
      said,
      reportingMta: bounce['reportingMTA'],
    }),
    ...(bounceType === undefined ? {} : { bounceType }),
  }));
  return { kind: 'dsn', recipients, original };
}

function hasReport(one: Json): boolean {
  return ['action', 'status', 'diagnosticCode'].some((name) => text(one[name]) !== null);
}

function fromComplaint(complaint: Json, original: OriginalMessage | null): Report {
  const complained = list(complaint['complainedRecipients']);
  const subType = text(complaint['complaintSubType']);
  // This message was never sent, because the recipient had complained about an earlier message. So this is not a complaint about this
  // message.
  if (subType === 'OnAccountSuppressionList') {
    const bounce = { bounceType: 'Permanent', bounceSubType: subType, bouncedRecipients: complained };
    return fromBounce(bounce, original);
  }
  return {
    kind: 'complaint',
    feedbackType: (text(complaint['complaintFeedbackType']) ?? 'abuse').toLowerCase(),
    reportingMta: null,
    recipients: complained.flatMap((one) => text(one['emailAddress']) ?? []),
    original,
  };
}

function fromDelivery(delivery: Json, original: OriginalMessage | null): Report {
  const { smtpResponse, reportingMTA, remoteMtaIp } = delivery;
  const [code] = /^2\d\d(?=[ -]|$)/.exec(text(smtpResponse) ?? '') ?? [];
  const replyCode = code === undefined ? null : Number(code);
  const recipients = texts(delivery['recipients']).map((address) => ({
    ...recipient(
      { emailAddress: address, diagnosticCode: smtpResponse },
      { action: 'delivered', said: '', reportingMta: reportingMTA },
    ),
    replyCode,
    remoteMta: text(remoteMtaIp),
  }));
  return { kind: 'dsn', recipients, original };
}

function fromDelay(delay: Json, original: OriginalMessage | null): Report {
  const said = text(delay['delayType']) ?? '';
  const reportingMta = delay['reportingMTA'];
  const recipients = list(delay['delayedRecipients']).map((one) =>
    recipient(one, { action: 'delayed', said, reportingMta }),
  );
  return { kind: 'dsn', recipients, original };
}

/**
 * @param one the recipient, with the server's own words
 * @param of `said`: what SES says about the recipient
 */
function recipient(
  one: Json,
  of: { action: DsnAction; said: string; reportingMta: unknown },
): ReportedRecipient {
  return reportedRecipient({
    address: text(one['emailAddress']),
    action: of.action,
    status: text(one['status']),
    diagnostics: [(text(one['diagnosticCode']) ?? '').replace(/^smtp;\s?/i, ''), of.said],
    context: '',
    remoteMta: null,
    reportingMta: text(of.reportingMta)?.replace(/^dns;\s?/i, '') ?? null,
  });
}

function originalOf(mail: Json): OriginalMessage | null {
  const messageId = text(record(mail['commonHeaders'])['messageId']);
  const rcptTo = texts(mail['destination']);
  if (messageId === null && rcptTo.length === 0) return null;
  const tags = record(mail['tags']);
  const [tag = ''] = texts(tags[RETURN_TAG]);
  const [submissionId = ''] = texts(tags[SUBMISSION_TAG]);
  const fields = list(mail['headers'], MAX_FIELDS).flatMap((field) => {
    const name = text(field['name'])?.toLowerCase();
    return name === undefined ? [] : [{ name, value: text(field['value']) ?? '' }];
  });
  return {
    messageId,
    returnPath: returnPathOf(tag) ?? text(mail['source']),
    rcptTo,
    fields,
    ...(UUID.test(submissionId) && { submissionId }),
  };
}

/** Parses the object at the beginning of the text and ignores the rest. Strings may be folded over several lines. */
function parseObject(source: string): Json | null {
  const end = objectEnd(source);
  for (const candidate of [source.slice(0, end), source.slice(0, end).replace(/\n ?/g, '')]) {
    try {
      return record(JSON.parse(candidate));
    } catch {
      // The lines may be folded. The next candidate is the unfolded text.
    }
  }
  return null;
}

function objectEnd(source: string): number {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return source.length;
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown, max = MAX_RECIPIENTS): Json[] {
  return Array.isArray(value) ? value.slice(0, max).map(record) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.slice(0, MAX_RECIPIENTS).flatMap((one) => text(one) ?? []) : [];
}

function own<V>(table: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 4_000) : null;
}
