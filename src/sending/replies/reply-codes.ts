/** Finds reply codes and enhanced codes in the texts of reports. */

/** A reply code at the beginning, or after a phrase with which programs introduce a quoted reply. */
const REPLY_CODE =
  /(?:^|\bsaid: |\bresponse: |\bresponded: |\bwas: |\berror: |\bcode: ?:?|\b(?:error|smtp|reply|status)[_ ]code ?[:=]? ?|<<< ?|[:;(<'"] ?|\bstatus |\berror )(?:smtp error )?([45]\d\d)(?=[-\s:;,.'")]|$)/i;
/** Reply codes that servers commonly send, anywhere in the text. */
const KNOWN_CODE = /(?:^|[\s:;('"<#])(421|45[0-2]|50[0-4]|521|55[0-7])(?=[-\s:;,.'")]|$)/;
const ENHANCED_CODE = /(?<![\w.\-/])[#]?([245])\.(\d{1,3})\.(\d{1,3})(?![\w./]|\.\d)/g;

/** The reply code that a text quotes, or null. */
export function findReplyCode(text: string): number | null {
  const match = REPLY_CODE.exec(text) ?? KNOWN_CODE.exec(text);
  return match === null ? null : Number(match[1]);
}

/** The enhanced codes that a text quotes, in order. At most 20 codes. */
export function findEnhancedCodes(text: string): string[] {
  const codes: string[] = [];
  for (const [, subjectClass, subject, detail] of text.matchAll(ENHANCED_CODE)) {
    if (codes.length === 20) break;
    if (Number(subject) <= 7) codes.push(`${subjectClass}.${Number(subject)}.${Number(detail)}`);
  }
  return codes;
}

/** The most specific code: the first code whose detail is not zero, otherwise the first code. */
export function mostSpecific(codes: readonly string[]): string | null {
  return codes.find((code) => !code.endsWith('.0')) ?? codes[0] ?? null;
}
