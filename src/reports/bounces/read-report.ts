import { readFeedbackReport } from '../../rfc/arf/feedback-report.ts';
import { type DsnAction, type DsnRecipient, readDeliveryStatus } from '../../rfc/dsn/delivery-status.ts';
import { decodeEncodedWords, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { findAddresses, sameAddress } from './addresses.ts';
import { nameOther, readWords } from './read-words.ts';
import type { Report, ReportedRecipient } from './report.ts';
import { type ReportParts, takeApart } from './report-parts.ts';
import { reportedRecipient } from './reported-recipient.ts';
import { scanText, type TextRecipient } from './scan-text.ts';
import { readSesNotification } from './ses-notification.ts';

/**
 * What a message that came back says: a delivery report (RFC 3464, and the many ways in which servers say the same in
 * words), a complaint (RFC 5965), or neither. Takes any octets, in bounded time; never throws.
 */
export function readReport(raw: Buffer): Report {
  const parts = takeApart(raw, readEntity(raw));
  const subject = decodeEncodedWords(fieldValue(parts.fields, 'subject') ?? '').toLowerCase();
  return (
    readComplaint(parts, subject) ??
    readSesNotification(parts.text) ??
    readDisposition(parts) ??
    readStatuses(parts) ??
    readWords(parts, subject) ?? {
      kind: 'other',
      why: nameOther(parts.fields, subject, parts.text.toLowerCase()),
    }
  );
}

function readComplaint(parts: ReportParts, subject: string): Report | null {
  const { original } = parts;
  const feedback = parts.feedback ?? (/^feedback-type:/im.test(parts.text) ? parts.text : null);
  if (feedback !== null) {
    const report = readFeedbackReport(feedback);
    if (report === null) return null;
    // RFC 6591: a domain owner asked to hear of messages that fail DMARC; nobody complained.
    if (report.feedbackType === 'auth-failure') return { kind: 'other', why: 'auth-failure-report' };
    return {
      kind: 'complaint',
      feedbackType: report.feedbackType,
      reportingMta: report.reportingMta,
      recipients: [...report.originalRcptTo],
      original,
    };
  }
  // Microsoft's junk mail reporting: a plain message with the original attached.
  if (!subject.startsWith('complaint about message from') || original === null) return null;
  const recipient = fieldValue(original.fields, 'x-hmxmroriginalrecipient');
  return {
    kind: 'complaint',
    feedbackType: 'abuse',
    reportingMta: null,
    recipients: recipient === null ? [] : findAddresses(recipient, 1),
    original,
  };
}

function readDisposition(parts: ReportParts): Report | null {
  return parts.hasDisposition ? { kind: 'other', why: 'read-receipt' } : null;
}

/** The fields of RFC 3464, in a part of their own or within the text. */
function readStatuses(parts: ReportParts): Report | null {
  const texts = parts.statuses.length > 0 ? parts.statuses : statusWithin(parts.text);
  const found = texts.slice(0, MAX_STATUSES).map(readDeliveryStatus);
  const pairs = found.flatMap((status) => status.recipients.map((recipient) => ({ recipient, status })));
  if (pairs.length === 0) return null;
  const named = scanText(parts.text, []);
  const recipients = pairs.slice(0, MAX_RECIPIENTS).map(({ recipient, status }) => {
    const near = segmentsOf(recipient, named);
    // What is said elsewhere is the recipient's where there is one alone. It comes before only where the status says little.
    const whole = pairs.length === 1 ? [parts.text] : [];
    const said = recipient.status?.endsWith('.0') === false ? [...near, ...whole] : [...whole, ...near];
    return fromStatus(recipient, status.reportingMta, said);
  });
  return { kind: 'dsn', recipients, original: parts.original };
}

const MAX_STATUSES = 10;
/** A report is about one recipient, but a list may have passed the mail on to more. Each costs up to 5 ms. */
const MAX_RECIPIENTS = 50;

function statusWithin(text: string): string[] {
  return /^final-recipient\s{0,5}:/im.test(text) && /^(?:action|status)\s{0,5}:/im.test(text) ? [text] : [];
}

/** `said` is what the text of the report says about the recipient. */
function fromStatus(
  recipient: DsnRecipient,
  reportingMta: string | null,
  said: readonly string[],
): ReportedRecipient {
  const { finalRecipient, originalRecipient } = recipient;
  const reported = reportedRecipient({
    address: finalRecipient ?? originalRecipient,
    action: recipient.action ?? ACTION_OF_CLASS[recipient.status?.[0] ?? ''] ?? 'failed',
    status: recipient.status,
    diagnostics: [recipient.diagnostic ?? '', recipient.statusComment ?? '', ...said],
    context: said.join('\n'),
    remoteMta: recipient.remoteMta,
    reportingMta,
  });
  const isSentOn =
    finalRecipient !== null && originalRecipient !== null && !sameAddress(finalRecipient, originalRecipient);
  return isSentOn ? { ...reported, originalAddress: originalRecipient } : reported;
}

/** By the class of the Status field (RFC 3463). Used where the Action field is missing, or is none of RFC 3464. */
const ACTION_OF_CLASS: Readonly<Record<string, DsnAction>> = { 2: 'delivered', 4: 'delayed', 5: 'failed' };

function segmentsOf(recipient: DsnRecipient, named: readonly TextRecipient[]): string[] {
  const addresses = [recipient.finalRecipient, recipient.originalRecipient].filter(
    (address) => address !== null,
  );
  return named
    .filter((found) => addresses.some((address) => sameAddress(address, found.address)))
    .map(({ segment }) => segment);
}
