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
 * Reads a returned message: a delivery report (RFC 3464, or one of the many forms in prose), a complaint (RFC 5965), or neither. Accepts
 * any octets, takes bounded time, and never throws.
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
    // RFC 6591: a report for the domain owner about mail that fails DMARC. Such a report is not a complaint.
    if (report.feedbackType === 'auth-failure') return { kind: 'other', why: 'auth-failure-report' };
    return {
      kind: 'complaint',
      feedbackType: report.feedbackType,
      reportingMta: report.reportingMta,
      recipients: [...report.originalRcptTo],
      original,
    };
  }
  // Microsoft's junk mail reporting sends a plain message with the original attached.
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

/** Reads the fields of RFC 3464, in a separate part or within the text. */
function readStatuses(parts: ReportParts): Report | null {
  const texts = parts.statuses.length > 0 ? parts.statuses : statusWithin(parts.text);
  const found = texts.slice(0, MAX_STATUSES).map(readDeliveryStatus);
  const pairs = found.flatMap((status) => status.recipients.map((recipient) => ({ recipient, status })));
  if (pairs.length === 0) return null;
  const named = scanText(parts.text, []);
  const recipients = pairs.slice(0, MAX_RECIPIENTS).map(({ recipient, status }) => {
    const near = segmentsOf(recipient, named);
    // If the report names a single recipient, the whole text is about that recipient. It takes precedence over the lines near the address
    // only if the status is unspecific.
    const whole = pairs.length === 1 ? [parts.text] : [];
    const said = recipient.status?.endsWith('.0') === false ? [...near, ...whole] : [...whole, ...near];
    return fromStatus(recipient, status.reportingMta, said);
  });
  return { kind: 'dsn', recipients, original: parts.original };
}

const MAX_STATUSES = 10;
/**
 * A report is usually about one recipient, but a mailing list may have forwarded the mail to several. The number is limited because reading
 * each recipient takes up to 5 ms.
 */
const MAX_RECIPIENTS = 50;

function statusWithin(text: string): string[] {
  return /^final-recipient\s{0,5}:/im.test(text) && /^(?:action|status)\s{0,5}:/im.test(text) ? [text] : [];
}

/** @param said the report's texts about the recipient */
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

/** The action by the class of the Status field (RFC 3463), for reports with a missing or unknown Action field. */
const ACTION_OF_CLASS: Readonly<Record<string, DsnAction>> = { 2: 'delivered', 4: 'delayed', 5: 'failed' };

function segmentsOf(recipient: DsnRecipient, named: readonly TextRecipient[]): string[] {
  const addresses = [recipient.finalRecipient, recipient.originalRecipient].filter(
    (address) => address !== null,
  );
  return named
    .filter((found) => addresses.some((address) => sameAddress(address, found.address)))
    .map(({ segment }) => segment);
}
