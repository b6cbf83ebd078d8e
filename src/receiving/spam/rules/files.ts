/** Spam rules about attachments. */
import type { Mail } from '../mail.ts';

const PROGRAM =
  /\.(?:appx|bat|chm|cmd|com|cpl|dll|exe|hta|iqy|iso|img|jar|js|jse|lnk|msc|msi|msix|one|pif|ps1|reg|scr|sct|vb|vbe|vbs|vhdx?|wsf|wsh|xll)$/i;
/** A name with two extensions, which looks like a document but is a program. */
const TWO_ENDS =
  /\.(?:pdf|docx?|xlsx?|pptx?|txt|rtf|jpe?g|png|gif|mp3|mp4|html?|csv)[\s._-]*\.(?:bat|cmd|com|exe|hta|jar|jse?|lnk|msi|pif|ps1|scr|vb[es]?|wsf|html?|zip|iso|img)$/i;
const MACROS = /\.(?:docm|dotm|xlsm|xlsb|xltm|pptm|ppam|xlam)$/i;
/**
 * A name that reverses the text direction, or pushes the extension out of sight. A run of blanks is matched only from its start: a name
 * may consist of blanks only, and matching from each blank would take quadratic time.
 */
const HIDES_END = /[\u202a-\u202e\u2066-\u2069]|(?<!\s)\s{10,}\S*\.[a-z0-9]{2,5}$/i;

export function hasProgram({ attachments }: Mail): boolean {
  return attachments.some(({ name, isProgram }) => isProgram || PROGRAM.test(name.trim()));
}

export function hasProgramInArchive({ attachments }: Mail): boolean {
  return attachments.some(({ inside }) => inside.some((name) => PROGRAM.test(name.trim())));
}

export function hasTwoEnds({ attachments }: Mail): boolean {
  return attachments.some(({ name, inside }) => [name, ...inside].some((each) => TWO_ENDS.test(each.trim())));
}

export function hidesEnd({ attachments }: Mail): boolean {
  return attachments.some(({ name, inside }) => [name, ...inside].some((each) => HIDES_END.test(each)));
}

export function hasMacros({ attachments }: Mail): boolean {
  return attachments.some(({ name, inside }) => [name, ...inside].some((each) => MACROS.test(each.trim())));
}

export function hasLockedArchive({ attachments }: Mail): boolean {
  return attachments.some(({ isEncrypted }) => isEncrypted);
}

export function hasHtmlFile({ attachments }: Mail): boolean {
  return attachments.some(
    ({ name, type }) => type === 'text/html' || /\.(?:s?html?|xht|svg)$/i.test(name.trim()),
  );
}
