/** Finds reply codes and enhanced codes in the texts of reports. */

/** A code at the beginning, or after a phrase with which programs introduce a quoted reply. */
const REPLY_CODE =
  /(?:^|\bsaid: |\bresponse: |\bresponded: |\bwas: |\berror: |\bcode: ?:?|\b(?:error|smtp|reply|status)[_ ]code ?[:=]? ?|<<< ?|[:;(<'"] ?|\bstatus |\berror )(?:smtp error )?([45]\d\d)(?=[-\s:;,.'")]|$)/i;
/** Codes that servers commonly send, anywhere in the text. */
const KNOWN_CODE = /(?:^|[\s:;('"<#])(421|45[0-2]|50[0-4]|521|55[0-7])(?=[-\s:;,.'")]|$)/;
const ENHANCED_CODE = /(?<![\w.\-/])[#]?([245])\.(\d{1,3})\.(\d{1,3})(?![\w./]|\.\d)/g;

/** The reply code quoted in a text, or null. */
export function findReplyCode(text: string): number | null {
  const match = REPLY_CODE.exec(text) ?? KNOWN_CODE.exec(text);
  return match === null ? null : Number(match[1]);
}

/** The enhanced codes quoted in a text, in order; at most 20. */
export function findEnhancedCodes(text: string): string[] {
  const codes: string[] = [];
  for (const [, subjectClass, subject, detail] of text.matchAll(ENHANCED_CODE)) {
    if (codes.length === 20) break;
    if (Number(subject) <= 7) codes.push(`${subjectClass}.${Number(subject)}.${Number(detail)}`);
  }
  return codes;
}

/** The most specific code: the first that has a detail other than zero, otherwise the first. */
export function mostSpecific(codes: readonly string[]): string | null {
  return codes.find((code) => !code.endsWith('.0')) ?? codes[0] ?? null;
}
