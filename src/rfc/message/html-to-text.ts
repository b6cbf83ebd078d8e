/**
 * Generates the text part of an email that has only HTML, in the order of the HTML:
 *
 * - block elements become lines, paragraphs and headings have empty lines around them, `<br>` ends a line;
 * - list items begin with `- ` or their number, quotes with `> `, both indented by depth; `<hr>` becomes `---`;
 * - a link becomes `text (url)`, or only the URL if the text is empty or equal to the URL;
 * - a table row becomes a line, with two spaces between cells; an image becomes its `alt`;
 * - scripts, styles, titles, comments (including conditional comments of Outlook) and elements hidden by `hidden`,
 *   `display: none` or `visibility: hidden` (preheaders) are omitted;
 * - lines are not wrapped, because mail clients wrap lines.
 */
import { decodeEntities } from './html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from './html-scan.ts';
import { TagReader } from './html-tags.ts';
import { TextBuilder } from './text-builder.ts';

/** Elements that begin and end a line, with the number of line breaks: 1, or 2 for an empty line before and after the element. */
const LINES_AROUND = new Map<string, 1 | 2>([
  ...names(
    1,
    'address article aside body caption center dd details dialog div dt fieldset figcaption figure footer',
  ),
  ...names(1, 'form header legend main nav option section summary table tbody tfoot thead tr'),
  ...names(2, 'dl h1 h2 h3 h4 h5 h6 p pre'),
]);

/** Elements that text cannot show. Their content, which is only a fallback, is omitted. */
const REPLACED = set('audio canvas object select svg template video');
/** Elements without content. A hidden element of this kind hides no later text. */
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

/** Converts HTML in one pass, in linear time for any text. The result does not end with a line break. */
export function htmlToText(html: string): string {
  const out = new TextBuilder();
  const tag = new TagReader();
  let preformatted = 0;
  /** The name of the hidden element whose content is omitted. `hiddenDepth` is the number of open elements with this name. */
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
      // A line end directly after `<pre>` is not part of the content.
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

/** The URL to show for an `href`. Empty for a fragment, a relative URL or a script, which do not work in plain text. */
function linkTarget(href: string): string {
  const url = decodeEntities(href).replace(CONTROLS, '').trim();
  return LINKED.test(url) ? url.replace(WITHOUT_AUTHORITY, '').replace(/\s/g, '%20') : '';
}
