/** Whether HTML is small and flat enough to be read as a browser reads it. Telling takes a hundredth of the time. */
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../../../rfc/message/html-scan.ts';

/** In characters. A long newsletter has a tenth of it. */
export const MAX_HTML = 2_097_152;
const MAX_TAGS = 25_000;
/** Time grows with its square: so deep it takes a second. Browsers themselves go no deeper than 512. */
const MAX_DEPTH = 400;

const VOID = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** In time proportional to the length. */
export function isTooMuch(html: string): boolean {
  if (html.length > MAX_HTML) return true;
  let tags = 0;
  let depth = 0;
  for (let at = nextMarkup(html, 0); at < html.length; at = nextMarkup(html, at)) {
    const kind = kindOfMarkup(html, at);
    if (kind === 'comment') {
      at = endOfComment(html, at);
      continue;
    }
    if (++tags > MAX_TAGS) return true;
    const nameAt = at + (kind === 'end' ? 2 : 1);
    const name = /^[a-z0-9:]{1,20}/i.exec(html.slice(nameAt, nameAt + 20))?.[0].toLowerCase() ?? '';
    at = nameAt;
    if (kind === 'end') depth = Math.max(0, depth - 1);
    else if (RAW.has(name)) at = endOfRaw(html, at, name);
    else if (!VOID.has(name) && ++depth > MAX_DEPTH) return true;
  }
  return false;
}
