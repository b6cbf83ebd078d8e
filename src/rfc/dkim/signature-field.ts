/** The DKIM-Signature field as text (RFC 6376, section 3.5). */
import { relaxFieldBody } from './canonical.ts';

/** a= */
export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

export interface SignatureTags {
  algorithm: DkimAlgorithm;
  /** A-labels. */
  domain: string;
  selector: string;
  /** t=, in whole seconds since 1970. */
  timestamp: number;
  signedNames: readonly string[];
  /** base64 */
  bodyHash: string;
}

/** The recommended line length without CRLF (RFC 5322, section 2.1.1). A d= or s= cannot be folded and may exceed it. */
const MAX_LINE = 78;
const FOLD = '\r\n\t';

/**
 * Returns the field up to and including `b=`; the signature is appended later. ARC-Message-Signature has the same form (RFC 8617,
 * section 4.1.2). Omits i=, which defaults to `@` and the domain; l=, which would let others append text; and x=, which would fail
 * delayed mail.
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

/** The canonical form of the field that is signed: with an empty b= and no CRLF (section 3.7). */
export function canonicalField(unsigned: string): string {
  const colon = unsigned.indexOf(':');
  return `${unsigned.slice(0, colon).toLowerCase()}:${relaxFieldBody(unsigned.slice(colon + 1))}`;
}

/** @param signature base64 */
export function signedField(unsigned: string, signature: string): string {
  const width = MAX_LINE - '\tb='.length;
  let field = unsigned + signature.slice(0, width);
  for (let at = width; at < signature.length; at += width) field += FOLD + signature.slice(at, at + width);
  return `${field}\r\n`;
}

/** Writes `h=` with the names, folded after colons. */
function foldNames(names: readonly string[]): string {
  let text = 'h=';
  let column = '\th='.length;
  for (let at = 0; at < names.length; at++) {
    const item = at === 0 ? (names[at] ?? '') : `:${names[at]}`;
    // Leaves one column for the colon or semicolon that follows.
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
