/** The DKIM-Signature field as text (RFC 6376, section 3.5). */
import { relaxFieldBody } from './canonical.ts';

/** The tag a=. */
export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

export interface SignatureTags {
  algorithm: DkimAlgorithm;
  /** The tag d=, in A-labels. */
  domain: string;
  selector: string;
  /** The tag t=, in whole seconds since 1970. */
  timestamp: number;
  signedNames: readonly string[];
  /** The tag bh=, in base64. */
  bodyHash: string;
}

/** The recommended line length without CRLF (RFC 5322, section 2.1.1). A line can be longer, because d= and s= cannot be folded. */
const MAX_LINE = 78;
const FOLD = '\r\n\t';

/**
 * Returns the field up to and including `b=`; `signedField` appends the signature. ARC-Message-Signature has the same form (RFC 8617,
 * section 4.1.2). Three tags are omitted: i=, because its default is right (`@` and the domain); l=, because an attacker could append text
 * to the body; and x=, because the signature of delayed mail would expire.
 */
export function unsignedField(tags: SignatureTags, start = 'DKIM-Signature: v=1'): string {
  const { domain, selector } = tags;
  const beforeSelector = `\td=${domain}; s=${selector};`.length > MAX_LINE ? FOLD : ' ';
  return (
    `${start}; a=${tags.algorithm}; c=relaxed/relaxed; t=${tags.timestamp};${FOLD}` +
    `d=${domain};${beforeSelector}s=${selector};${FOLD}` +
    `${foldNames(tags.signedNames)};${FOLD}bh=${tags.bodyHash};${FOLD}b=`
  );
}

/** The canonical form of the signature field for signing, with an empty b= and without CRLF (RFC 6376, section 3.7). */
export function canonicalField(unsigned: string): string {
  const colon = unsigned.indexOf(':');
  return `${unsigned.slice(0, colon).toLowerCase()}:${relaxFieldBody(unsigned.slice(colon + 1))}`;
}

/** Appends the signature to a field from `unsignedField`. @param signature the signature in base64 */
export function signedField(unsigned: string, signature: string): string {
  const width = MAX_LINE - '\tb='.length;
  let field = unsigned + signature.slice(0, width);
  for (let at = width; at < signature.length; at += width) field += FOLD + signature.slice(at, at + width);
  return `${field}\r\n`;
}

/** Writes `h=` and the names, folded after colons. */
function foldNames(names: readonly string[]): string {
  let text = 'h=';
  let column = '\th='.length;
  for (let at = 0; at < names.length; at++) {
    const item = at === 0 ? (names[at] ?? '') : `:${names[at]}`;
    // One column must stay free for the next colon or semicolon.
    if (column + item.length >= MAX_LINE) {
      text += `:${FOLD}${names[at]}`;
      column = item.length;
    } else {
      text += item;
      column += item.length;
    }
  }
  return text;
}
