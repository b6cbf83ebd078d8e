/** Rewrites the link targets of HTML, and leaves all other text unchanged. */
import { decodeEntities } from './html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from './html-scan.ts';
import { TagReader } from './html-tags.ts';

export interface HtmlChanges {
  /**
   * Called for the `href` of each `<a>` and `<area>`, with character references decoded.
   * @returns the new target, without characters that need escaping in an attribute; null to keep the old target
   */
  link(href: string): string | null;
  /** HTML to insert before the last `</body>`, or at the end if the text has no `</body>`. */
  beforeBodyEnd: string;
}

/**
 * Rewrites HTML in one pass, in linear time for any text. Comments (including conditional comments of Outlook), scripts and styles stay
 * unchanged.
 */
export function changeHtml(html: string, { link, beforeBodyEnd }: HtmlChanges): string {
  const tag = new TagReader();
  const pieces: string[] = [];
  let copied = 0;
  /** The number of pieces before the last `</body>`. */
  let bodyEnd: number | null = null;
  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    const end = tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (end === -1) break;
    at = end;
    if (kind === 'end') {
      if (tag.name === 'body') {
        pieces.push(html.slice(copied, open));
        copied = open;
        bodyEnd = pieces.length;
      }
    } else if (RAW.has(tag.name)) at = endOfRaw(html, end, tag.name);
    else if (tag.hrefAt !== -1 && (tag.name === 'a' || tag.name === 'area')) {
      const changed = link(decodeEntities(tag.href));
      if (changed === null) continue;
      pieces.push(html.slice(copied, tag.hrefAt), changed);
      copied = tag.hrefAt + tag.href.length;
    }
  }
  pieces.push(html.slice(copied));
  pieces.splice(bodyEnd ?? pieces.length, 0, beforeBodyEnd);
  return pieces.join('');
}
