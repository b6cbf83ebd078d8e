/** Accents of Latin, Greek and Cyrillic letters, after decomposition. */
const ACCENTS = /[\u0300-\u036f]/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const MARKS = /(\p{M}{30})\p{M}+/gu;
/** Soft hyphens and zero-width spaces. */
const NOT_SHOWN = /[\u00ad\u200b\u2060\ufeff]/g;
const SPACE = /[\s\p{Cc}]+/gu;
const SPACE_OF_ASCII = /[\0-\x20\x7f]+/g;

/**
 * Limits the combining marks of each letter to 30 (UAX 15, section 13). Must be called before normalizing a text: sorting the marks of a
 * letter takes time proportional to the square of their number.
 */
export function withFewMarks(text: string): string {
  return text.replace(MARKS, '$1');
}

/**
 * The form in which texts and needles are compared: without case, compatibility forms and accents (so `cafe` finds `Café`, and `strasse`
 * finds `Straße`), and with runs of space, line ends and control characters reduced to one space. A search finds everything that
 * i;unicode-casemap (RFC 5051) finds, and more. RFC 9051, section 6.4.4 leaves the choice to the server.
 */
export function normalForm(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.replace(SPACE_OF_ASCII, ' ').toLowerCase();
  return (
    withFewMarks(text.toWellFormed().replace(NOT_SHOWN, ''))
      .normalize('NFKD')
      .replace(ACCENTS, '')
      .normalize('NFC')
      // Upper-casing turns ß into SS but does not change a capital ẞ, so the text is lower-cased first.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(SPACE, ' ')
  );
}
