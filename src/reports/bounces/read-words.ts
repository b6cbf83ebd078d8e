import type { BounceCategory } from '../../model/bounce.ts';
import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import { decodeEncodedWords, fieldValue, type HeaderField } from '../../rfc/mime/index.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import { findAddresses, sameAddress } from './addresses.ts';
import { hasOf, isFailureSubject, MARKERS, mentionsFailure } from './markers.ts';
import { findEnhancedCodes } from '../../sending/replies/reply-codes.ts';
import type { NotAReport, Report } from './report.ts';
import type { ReportParts } from './report-parts.ts';
import { reportedRecipient } from './reported-recipient.ts';
import { scanText, type TextRecipient } from './scan-text.ts';

/**
 * Reads a report that is written in prose only.
 *
 * @param subject decoded and in lower case
 * @returns null if the text does not look like a report
 */
export function readWords(parts: ReportParts, subject: string): Report | null {
  const failed = findAddresses(fieldValue(parts.fields, 'x-failed-recipients') ?? '', 200);
  if (failed.length === 0 && !soundsLikeBounce(parts, subject)) return null;
  const { original } = parts;
  const own = ['from', 'to', 'reply-to'].flatMap((name) =>
    findAddresses(fieldValue(parts.fields, name) ?? '', 10),
  );
  const named = scanText(parts.text, own);
  const found: TextRecipient[] =
    failed.length === 0 ? named : failed.map((address) => withSegment(address, named));
  const recipients = found.length > 0 ? found : toOfOriginal(original?.rcptTo ?? []);
  const action = actionOf(subject, parts.text);
  return {
    kind: 'dsn',
    recipients: (recipients.length > 0 ? recipients : [{ address: null, segment: '' }]).map(
      ({ address, segment }) =>
        reportedRecipient({
          address,
          action,
          status: null,
          diagnostics: recipients.length > 1 ? [segment] : [segment, parts.text, subject],
          context: recipients.length > 1 ? segment : parts.text,
          remoteMta: null,
          reportingMta: null,
        }),
    ),
    original,
  };
}

/**
 * Matches the subject of a delay notice. A delay is checked first, because the text of the notice may repeat why the last attempt failed.
 */
const DELAYED_SUBJECT =
  /\b(?:delay|delayed|warning|still being retried|will be retried|still undelivered)\b/i;
const DELAYED_TEXT =
  /warning message only|will be retried|(?:will|shall) (?:continue to try|keep trying)|do(?:es)? not need to (?:be )?resen[dt]/i;
const RELAYED_SUBJECT = /^(?:relayed|delivered|expanded)\b|(?<!\bnot )\bsuccess(?:ful|fully)?\b/i;

function actionOf(subject: string, text: string): DsnAction {
  if (DELAYED_SUBJECT.test(subject) || DELAYED_TEXT.test(text.slice(0, 8_000))) return 'delayed';
  return RELAYED_SUBJECT.test(subject) ? 'relayed' : 'failed';
}

function withSegment(address: string, named: readonly TextRecipient[]): TextRecipient {
  return named.find((recipient) => sameAddress(recipient.address, address)) ?? { address, segment: '' };
}

function toOfOriginal(rcptTo: readonly string[]): TextRecipient[] {
  return rcptTo.length === 1 ? [{ address: rcptTo[0] as string, segment: '' }] : [];
}

/** Causes that only mail servers report. */
const OF_DELIVERY: ReadonlySet<BounceCategory> = new Set([
  'unknown_user',
  'mailbox_full',
  'dns',
  'network',
  'expired',
]);

function soundsLikeBounce(parts: ReportParts, subject: string): boolean {
  const text = parts.text.slice(0, 16_000).toLowerCase();
  const isCause = OF_DELIVERY.has(
    classifyReply({ replyCode: null, enhancedCode: null, text: `${subject}. ${text}` }).category,
  );
  const hasCode = findEnhancedCodes(text).length > 0;
  const hasText = mentionsFailure(text) || isCause;
  // The form alone proves nothing, because some servers forward or answer mail in the form of a report without a delivery-status part.
  if (parts.isDeclared) return hasText || hasCode;
  if (hasAutoReplySubject(subject)) return false;
  const from = decodeEncodedWords(fieldValue(parts.fields, 'from') ?? '').toLowerCase();
  const isSystem = from.includes('<>') || hasOf(from, MARKERS.system);
  const hasSubject = isFailureSubject(subject);
  // Automatic replies from mail clients also have a null sender.
  const isFromNobody =
    fieldValue(parts.fields, 'return-path') === '<>' && !isAutoReply(parts.fields, subject);
  const signs = [isSystem, hasText, hasSubject, hasCode, parts.hasAttachedOriginal, isFromNobody];
  return (hasText || hasSubject || hasCode) && signs.filter(Boolean).length >= 2;
}

/** Classifies a message that is not a report. `subject` and `text` are decoded and in lower case. */
export function nameOther(fields: readonly HeaderField[], subject: string, text: string): NotAReport {
  const head = text.slice(0, 8_000);
  if (hasOf(`${subject}\n${head}`, MARKERS.challenge)) return 'challenge';
  return isAutoReply(fields, subject) ? 'auto-reply' : 'not-a-report';
}

/** Whether the header says that the reply is automatic (RFC 3834). */
function isAutoReply(fields: readonly HeaderField[], subject: string): boolean {
  const submitted = fieldValue(fields, 'auto-submitted');
  if (submitted !== null && !/^no\b/i.test(submitted)) return true;
  if (AUTO_REPLY_FIELDS.some((name) => fieldValue(fields, name) !== null)) return true;
  if (/^auto_reply$/i.test(fieldValue(fields, 'precedence') ?? '')) return true;
  return hasAutoReplySubject(subject);
}

function hasAutoReplySubject(subject: string): boolean {
  return hasOf(subject, MARKERS.autoReply);
}

const AUTO_REPLY_FIELDS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoreply-from',
  'x-mail-autoreply',
  'x-vacation',
];
