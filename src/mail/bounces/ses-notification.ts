import type { Report, ReportedRecipient } from './report.ts';
import { reportedRecipient } from './reported-recipient.ts';

const MAX_JSON = 131_072;
const MAX_RECIPIENTS = 200;

/**
 * A notification of Amazon SES about a bounce, a complaint or a delivery that SNS sent by mail: JSON, and behind it
 * words of SNS. Null when the text is none. Never throws.
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
  const original = originalOf(record(json['mail']));
  const kind = json['notificationType'] ?? json['eventType'];
  if (kind === 'Bounce') {
    const bounce = record(json['bounce']);
    const type = text(bounce['bounceType']);
    const recipients = list(bounce['bouncedRecipients']).map((one) =>
      reportedRecipient({
        address: text(one['emailAddress']),
        action: text(one['action']) === 'delayed' ? 'delayed' : 'failed',
        status: text(one['status']),
        diagnostics: [
          (text(one['diagnosticCode']) ?? '').replace(/^smtp;\s?/i, ''),
          `${type ?? ''} ${text(bounce['bounceSubType']) ?? ''}`,
        ],
        context: '',
        remoteMta: null,
        reportingMta: text(bounce['reportingMTA'])?.replace(/^dns;\s?/i, '') ?? null,
      }),
    );
    return { kind: 'dsn', recipients, original };
  }
  if (kind === 'Complaint') {
    const complaint = record(json['complaint']);
    return {
      kind: 'complaint',
      feedbackType: (text(complaint['complaintFeedbackType']) ?? 'abuse').toLowerCase(),
      reportingMta: null,
      recipients: list(complaint['complainedRecipients']).flatMap((one) => text(one['emailAddress']) ?? []),
      original,
    };
  }
  if (kind === 'Delivery') {
    const delivery = record(json['delivery']);
    const addresses = Array.isArray(delivery['recipients']) ? delivery['recipients'] : [];
    const recipients: ReportedRecipient[] = addresses.slice(0, MAX_RECIPIENTS).map((address) =>
      reportedRecipient({
        address: text(address),
        action: 'delivered',
        status: null,
        diagnostics: [text(delivery['smtpResponse']) ?? ''],
        context: '',
        remoteMta: null,
        reportingMta: text(delivery['reportingMTA']),
      }),
    );
    return { kind: 'dsn', recipients, original };
  }
  return null;
}

function originalOf(mail: Json): Extract<Report, { kind: 'dsn' }>['original'] {
  const messageId = text(record(mail['commonHeaders'])['messageId']);
  const to = Array.isArray(mail['destination']) ? mail['destination'] : [];
  const rcptTo = to.slice(0, MAX_RECIPIENTS).flatMap((address) => text(address) ?? []);
  if (messageId === null && rcptTo.length === 0) return null;
  return { messageId, returnPath: text(mail['source']), rcptTo, fields: [] };
}

/** The object that the text begins with, whatever stands behind it; lines may be folded within strings. */
function parseObject(source: string): Json | null {
  const end = objectEnd(source);
  for (const candidate of [source.slice(0, end), source.slice(0, end).replace(/\n ?/g, '')]) {
    try {
      return record(JSON.parse(candidate));
    } catch {
      // Another way of folding.
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

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.slice(0, MAX_RECIPIENTS).map(record) : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 4_000) : null;
}
