/**
 * Generates the text part of an email that has only HTML, in the order of the HTML:
 *
 * - block elements are lines, paragraphs and headings stand between empty lines, `<br>` ends a line;
 * - list items begin with `- ` or their number, quotes with `> `, both indented by depth; `<hr>` is `---`;
 * - a link is `text (url)`, or only the URL if the text is the same or empty;
 * - a table row is a line, with two spaces between cells; an image is its `alt`;
 * - scripts, styles, titles, comments (including Outlook's conditional ones) and elements hidden by `hidden`,
 *   `display: none` or `visibility: hidden` (preheaders) are omitted;
 * - lines are not wrapped: mail clients do that.
 */
import { decodeEntities } from './html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from './html-scan.ts';
import { TagReader } from './html-tags.ts';
import { TextBuilder } from './text-builder.ts';

/** Elements that begin and end a line: 1, or 2 if an empty line surrounds them. */
const LINES_AROUND = new Map<string, 1 | 2>([
  ...names(
    1,
    'address article aside body caption center dd details dialog div dt fieldset figcaption figure footer',
  ),
  ...names(1, 'form header legend main nav option section summary table tbody tfoot thead tr'),
  ...names(2, 'dl h1 h2 h3 h4 h5 h6 p pre'),
]);

/** Elements whose content is only a fallback and is omitted: text cannot show them. */
const REPLACED = set('audio canvas object select svg template video');
/** Elements without content: hiding one hides nothing that follows. */
const VOID = set('area base br col embed hr img input link meta source track wbr');

const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const LINKED = /^(?:https?:|mailto:|tel:)/i;
const CONTROLS = /\p{Cc}/gu;
const WITHOUT_AUTHORITY = /^(?:mailto|tel):/i;

function names(lines: 1 | 2, list: string): [string, 1 | 2][] {
  return list.split(' ').map((name) => [name, lines]);
}

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Makes one pass, in linear time for any text. The result does not end with a line break. */
export function htmlToText(html: string): string {
  const out = new TextBuilder();
  const tag = new TagReader();
  let preformatted = 0;
  /** The element whose content is being omitted, and how many elements of that name are open. */
  let hiddenName = '';
  let hiddenDepth = 0;
  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    if (open > at && hiddenDepth === 0) {
      const run = decodeEntities(html.slice(at, open));
      if (preformatted > 0) out.preformatted(run);
      else out.text(run);
    }
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    const isEnd = kind === 'end';
    at = tag.read(html, open + (isEnd ? 2 : 1));
    if (at === -1) break;
    if (hiddenDepth > 0) {
      if (tag.name === hiddenName) hiddenDepth += isEnd ? -1 : 1;
      else if (!isEnd && RAW.has(tag.name)) at = endOfRaw(html, at, tag.name);
      continue;
    }
    if (!isEnd && (RAW.has(tag.name) || isHidden(tag))) {
      if (RAW.has(tag.name)) at = endOfRaw(html, at, tag.name);
      else if (!VOID.has(tag.name)) [hiddenName, hiddenDepth] = [tag.name, 1];
      continue;
    }
    if (tag.name === 'pre') {
      preformatted = Math.max(0, preformatted + (isEnd ? -1 : 1));
      // A line end right after the tag is not part of the content.
      if (!isEnd && html.startsWith('\n', at)) at++;
    }
    if (isEnd) closeElement(tag, out);
    else openElement(tag, out);
  }
  return out.finish();
}

function openElement(tag: TagReader, out: TextBuilder): void {
  switch (tag.name) {
    case 'br':
      return out.lineBreak();
    case 'hr':
      return out.rule();
    case 'a':
      return out.openLink(linkTarget(tag.href));
    case 'img':
      return out.text(decodeEntities(tag.alt));
    case 'td':
    case 'th':
      return out.nextCell();
    case 'li':
      return out.listItem();
    case 'ul':
    case 'ol':
      return out.openList(tag.name === 'ol');
    case 'blockquote':
      return out.openQuote();
    default:
      endLineAround(tag, out);
  }
}

function closeElement(tag: TagReader, out: TextBuilder): void {
  switch (tag.name) {
    case 'a':
      return out.closeLink();
    case 'ul':
    case 'ol':
      return out.closeList();
    case 'blockquote':
      return out.closeQuote();
    default:
      endLineAround(tag, out);
  }
}

function endLineAround(tag: TagReader, out: TextBuilder): void {
  const lines = LINES_AROUND.get(tag.name);
  if (lines !== undefined) out.endLine(lines);
}

function isHidden(tag: TagReader): boolean {
  return (
    tag.hidden ||
    (tag.style !== '' && HIDING_STYLE.test(tag.style)) ||
    (REPLACED.has(tag.name) && !tag.selfClosing)
  );
}

/** The URL to show for an href. Empty for a fragment, a relative URL or a script, which do not work in plain text. */
function linkTarget(href: string): string {
  const url = decodeEntities(href).replace(CONTROLS, '').trim();
  return LINKED.test(url) ? url.replace(WITHOUT_AUTHORITY, '').replace(/\s/g, '%20') : '';
}
