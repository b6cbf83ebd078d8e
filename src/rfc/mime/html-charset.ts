import { isUnlikeAscii } from './charset-labels.ts';

/** How many octets are searched for a declaration. The web searches 1,024, but mail often has long styles before it. */
const MAX_SEARCHED = 8_192;
const COMMENT = /<!--[^]*?(?:-->|$)/g;
/** A `meta` element, with its attributes. */
const META = /<meta[\s/]([^<>]{1,1000})>?/gi;
const CHARSET = /(?:^|[\s/;"'])charset\s*=\s*["']?\s*([a-z0-9][a-z0-9_.:-]{0,60})/i;
/** The declaration of XHTML. */
const XML = /^\s*<\?xml[^<>]{0,200}?\sencoding\s*=\s*["']([a-z0-9_.:-]{1,60})["']/i;

/**
 * Finds the charset that an HTML text declares for itself (HTML, section 13.2.3.2).
 * @returns an empty text if there is no declaration, or one that cannot be true
 */
export function charsetInHtml(octets: Uint8Array): string {
  const head = Buffer.from(octets.buffer, octets.byteOffset, Math.min(octets.length, MAX_SEARCHED))
    .toString('latin1')
    .replace(COMMENT, '');
  const label = XML.exec(head)?.[1] ?? inMeta(head);
  // The declaration is read as ASCII, so the text is not UTF-16. Outlook writes `charset=unicode` into HTML in any charset.
  return isUnlikeAscii(label) ? '' : label;
}

function inMeta(head: string): string {
  for (const [, attributes = ''] of head.matchAll(META)) {
    const label = CHARSET.exec(attributes)?.[1];
    if (label !== undefined) return label;
  }
  return '';
}
