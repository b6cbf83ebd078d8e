/** Accents of Latin, Greek and Cyrillic letters, once they stand alone. */
const ACCENTS = /[\u0300-\u036f]/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const SPACE = /[\s\p{Cc}\u00ad\u200b\u2060\ufeff]+/gu;
const SPACE_OF_ASCII = /[\0-\x20\x7f]+/g;

/**
 * The form in which texts and what is looked for are compared: without case, compatibility forms and accents (so `cafe`
 * finds `Café`, and `strasse` finds `Straße`), and with one space for each run of space, line ends and controls. It finds
 * what i;unicode-casemap (RFC 5051) finds, and more. RFC 9051, section 6.4.4 leaves it to the server.
 */
export function normalForm(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.replace(SPACE_OF_ASCII, ' ').toLowerCase();
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(SPACE, ' ');
}
