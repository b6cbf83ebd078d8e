/** Accents of Latin, Greek and Cyrillic letters, once they stand alone. */
const ACCENTS = /[\u0300-\u036f]/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const MARKS = /(\p{M}{30})\p{M}+/gu;
/** Soft hyphens and spaces without width. */
const NOT_SHOWN = /[\u00ad\u200b\u2060\ufeff]/g;
const SPACE = /[\s\p{Cc}]+/gu;
const SPACE_OF_ASCII = /[\0-\x20\x7f]+/g;

/**
 * What is to be done before a text is normalized: to sort the marks of one letter takes time that grows with the square of their number.
 * None has more than 30 (UAX 15, section 13).
 */
export function withFewMarks(text: string): string {
  return text.replace(MARKS, '$1');
}

/**
 * The form in which texts and what is looked for are compared: without case, compatibility forms and accents (so `cafe`
 * finds `Café`, and `strasse` finds `Straße`), and with one space for each run of space, line ends and controls. It finds
 * what i;unicode-casemap (RFC 5051) finds, and more. RFC 9051, section 6.4.4 leaves it to the server.
 */
export function normalForm(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.replace(SPACE_OF_ASCII, ' ').toLowerCase();
  return (
    withFewMarks(text.toWellFormed().replace(NOT_SHOWN, ''))
      .normalize('NFKD')
      .replace(ACCENTS, '')
      .normalize('NFC')
      // A capital ẞ is no SS, and a small one is.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(SPACE, ' ')
  );
}
