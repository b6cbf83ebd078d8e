import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import { findEnhancedCodes, findReplyCode, mostSpecific } from '../../sending/replies/reply-codes.ts';
import type { ReportedRecipient } from './report.ts';

/** The maximum length of a diagnostic. `withCommand` may append a command, and the result must not exceed 1000 characters. */
const MAX_DIAGNOSTIC = 960;
/** Pieces of a long text overlap by this many characters, so that an error message at a boundary is complete in one of them. */
const OVERLAP = 200;
const MAX_TEXT = 4_000;

interface ReportedMatch {
  address: string | null;
  action: DsnAction;
  /** The enhanced status code from its own field of the report. */
  status: string | null;
  /** Texts about this recipient, with the most specific text first. */
  diagnostics: readonly string[];
  /** Further text about this recipient, which may show the command that the server rejected. */
  context: string;
  remoteMta: string | null;
  reportingMta: string | null;
}

/**
 * Uses the first text about the recipient that states a cause, with the codes in that text. The Diagnostic-Code field comes first, then the
 * comment of the Status field, then the text near the address.
 */
export function reportedRecipient(found: ReportedMatch): ReportedRecipient {
  const reading = firstConclusive(found.diagnostics, found.status);
  return {
    address: found.address,
    action: found.action,
    enhancedCode: reading.enhancedCode,
    replyCode: reading.replyCode,
    diagnostic: withCommand(printable(reading.text, MAX_DIAGNOSTIC), found.context),
    remoteMta: found.remoteMta,
    reportingMta: found.reportingMta,
  };
}

function firstConclusive(texts: readonly string[], status: string | null): Reading {
  let first: Reading | null = null;
  for (const text of texts.flatMap(cut)) {
    const reading = readReply(text, status);
    if (classifyReply(reading).category !== 'other') return reading;
    first ??= reading;
  }
  return first ?? readReply('', status);
}

const REPLY_TO_DATA =
  /in reply to (?:the )?(?:end of )?data|(?:after|following) (?:end of )?data|after i sent the message|failed on data command|smtp command\s{1,5}data\b/i;
const REPLY_TO_RCPT =
  /in reply to rcpt|(?:after|following) rcpt|\[rcpt_to\]|>>> rcpt|does not like recipient|smtp command\s{1,5}rcpt\b/i;
/**
 * Matches a Sendmail transcript in which the server rejected DATA. If the transcript shows that all recipients were rejected before
 * (`REFUSED_BEFORE`), the earlier rejection is the reason.
 */
const TRANSCRIPT = />>> DATA\s{1,5}<<< 5/i;
const REFUSED_BEFORE = /<<< 503|need rcpt|rcpt first|no valid recipients|no recipients/i;

/** Appends the SMTP command to which the server replied, as Postfix does. */
function withCommand(diagnostic: string, context: string): string {
  if (diagnostic.includes('(in reply to ')) return diagnostic;
  if (REPLY_TO_DATA.test(context) || (TRANSCRIPT.test(context) && !REFUSED_BEFORE.test(context))) {
    return `${diagnostic} (in reply to end of DATA command)`;
  }
  return REPLY_TO_RCPT.test(context) ? `${diagnostic} (in reply to RCPT TO command)` : diagnostic;
}

interface Reading {
  replyCode: number | null;
  enhancedCode: string | null;
  text: string;
}

/**
 * If the code in the reply and the code in the report differ, the code in the reply counts, because servers often make up the code in the
 * report.
 */
function readReply(text: string, status: string | null): Reading {
  const codes = findEnhancedCodes(text);
  return {
    replyCode: findReplyCode(text),
    enhancedCode: mostSpecific(status === null ? codes : [...codes, status]),
    text,
  };
}

/** Puts the text on one line and cuts it into pieces that fit a diagnostic. Only the beginning of a long text is used. */
function cut(text: string): string[] {
  const line = text
    .slice(0, 2 * MAX_TEXT)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT);
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += MAX_DIAGNOSTIC - OVERLAP) {
    pieces.push(line.slice(at, at + MAX_DIAGNOSTIC));
    if (at + MAX_DIAGNOSTIC >= line.length) break;
  }
  return pieces;
}
