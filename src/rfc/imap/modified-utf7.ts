/** Modified UTF-7, an encoding of folder names in ASCII that IMAP used before UTF-8 (RFC 3501, section 5.1.3), and that Maildir uses. */

/** Encodes a name for Maildir: `&`, all characters other than printable ASCII, and also `.`, which separates folder names in Maildir. */
export function encodeFolderName(name: string): string {
  return name.replaceAll(/[^\x20-\x25\x27-\x2d\x2f-\x7e]+/g, (text) =>
    text === '&' ? '&-' : `&${base64Of(text)}-`,
  );
}

/** Encodes a name for IMAP: `&`, and all characters other than printable ASCII. */
export function encodeMailboxName(name: string): string {
  return name.replaceAll(/[^\x20-\x25\x27-\x7e]+/g, (text) => (text === '&' ? '&-' : `&${base64Of(text)}-`));
}

/** Decodes a name. @returns null if the text is not valid modified UTF-7 */
export function decodeFolderName(text: string): string | null {
  let isRight = /^[\x20-\x7e]*$/.test(text);
  const name = text.replaceAll(/&([^-]*)(-|$)/g, (_, shifted: string, end: string) => {
    isRight &&= end === '-' && /^[A-Za-z0-9+,]*$/.test(shifted);
    if (shifted === '') return '&';
    const bytes = Buffer.from(shifted.replaceAll(',', '/'), 'base64');
    isRight &&= bytes.length > 0 && bytes.length % 2 === 0;
    return isRight ? bytes.swap16().toString('utf16le') : '';
  });
  return isRight && name.isWellFormed() ? name : null;
}

function base64Of(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().toString('base64').replaceAll('/', ',').replace(/=+$/, '');
}
