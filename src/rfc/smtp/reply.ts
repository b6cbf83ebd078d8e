/** One complete reply from an SMTP server (RFC 5321, section 4.2). */
export interface SmtpReply {
  /** The reply code, 200 to 599. */
  readonly code: number;
  /** The text after the code on each line, unchanged. There is at least one line, which may be empty. */
  readonly lines: readonly string[];
}

const ENHANCED_CODE = /^([245])\.\d{1,3}\.\d{1,3}(?= |$)/;
const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The enhanced status code (RFC 3463) at the start of the first line of the reply (RFC 2034, section 4), for example `5.1.1`.
 * Null if the reply has no enhanced code, or if the class of the enhanced code contradicts the reply code.
 */
export function enhancedCode(reply: SmtpReply): string | null {
  const match = ENHANCED_CODE.exec(reply.lines[0] ?? '');
  return match !== null && match[1] === String(reply.code)[0] ? match[0] : null;
}

/** The text of the reply for display: one printable line without codes, at most `maxLength` UTF-16 units. */
export function replyText(reply: SmtpReply, maxLength: number): string {
  const text = reply.lines.map((line) => line.replace(ENHANCED_CODE, '').trim()).join(' ');
  return printable(text, maxLength);
}

/**
 * Truncates a text to `maxLength` UTF-16 units. Puts `?` in place of characters that a terminal, a log or a page would interpret: control
 * characters, bidirectional marks, line separators and lone surrogates.
 */
export function printable(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return PLAIN_TEXT.test(cut) ? cut : cut.replace(UNPRINTABLE, '?');
}
