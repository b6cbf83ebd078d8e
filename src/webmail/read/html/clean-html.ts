import { readHtml } from '../../../rfc/html/read-html.ts';
import { writeShown } from '../../../rfc/html/write-shown.ts';
import { LinkWarnings } from '../links/link-warnings.ts';
import type { CleanHtml } from '../question.ts';
import { DarkColors } from './dark-colors.ts';
import { contentIdOf, LINKS, MAX_REMOTE, remoteUrl } from './mail-document.ts';
import { sanitizeHtml } from './sanitize.ts';

const MAX_CONTENT_IDS = 500;

/** Sanitizes HTML and collects data for the reader: remote images, warnings about links, the height. */
export function prepareForDisplay(dirty: string): CleanHtml {
  const { html, quoteAt } = sanitizeHtml(dirty);
  const remote = new Set<string>();
  const contentIds = new Set<string>();
  const colors = new DarkColors();
  let hasGroundImage = false;
  const { hasOwnDark } = writeShown(html, {
    theme: 'light',
    mapColors: colors.convert,
    image(url, isOfStyle) {
      hasGroundImage ||= isOfStyle;
      if (/^cid:/i.test(url)) {
        if (contentIds.size < MAX_CONTENT_IDS) contentIds.add(contentIdOf(url));
      } else {
        const target = remoteUrl(url);
        if (target !== null && remote.size < MAX_REMOTE) remote.add(target);
      }
      return null;
    },
    link: () => ({ attributes: {} }),
  });
  const warnings = new LinkWarnings();
  for (const { href, text, parted } of readHtml(html, LINKS).links) warnings.add(href, text, parted);
  return {
    html,
    remote: [...remote],
    contentIds: [...contentIds],
    problems: warnings.sentences,
    dark: hasOwnDark ? 'own' : colors.isPossible && !hasGroundImage ? 'converted' : null,
    height: guessHeight(html, warnings.count),
    quote:
      quoteAt === null
        ? null
        : { at: quoteAt, foldedHeight: guessHeight(html.slice(0, quoteAt), warnings.count) },
  };
}

const LINE = 22;
/** The space below a paragraph, in pixels. */
const SPACE = 14;
const SPACED = /<\/(?:p|h[1-6]|blockquote|pre|ul|ol|dl)>|<hr\b/g;
const LINE_CHARACTERS = 90;
/** The first padding of each element: the top value, and the bottom value if there is one. */
const PADDING =
  /\sstyle="[^"]{0,500}?\bpadding(?<side>-top|-bottom)?\s*:\s*(?<above>\d{1,3})px(?:\s+\w{1,6}\s+(?<below>\d{1,3})px)?/g;
const MAX_HEIGHT = 20_000;
const BLOCK = /<\/(?:p|div|tr|li|h[1-6]|blockquote|pre)>|<(?:br|hr)\b/g;
const IMAGE_HEIGHT = /<img\b[^>]{0,1000}?\sheight="(\d{1,4})"/g;

/**
 * Guesses the height of a message, until its frame reports the exact height. Counts lines at a medium page width and images that
 * declare their height.
 * @param marks the number of lines with a warning about a misleading link
 */
function guessHeight(html: string, marks: number): number {
  const body = html.replaceAll(/<style\b[^<]*<\/style>/g, '');
  let lines = 0;
  for (const block of body.split(BLOCK)) {
    const characters = block.replaceAll(/<[^>]*>/g, '').trim().length;
    lines += characters === 0 ? 0.3 : Math.ceil(characters / LINE_CHARACTERS);
  }
  const spaces = body.match(SPACED)?.length ?? 0;
  let images = 0;
  for (const [, height] of body.matchAll(IMAGE_HEIGHT)) images += Number(height) > 20 ? Number(height) : 0;
  let paddings = 0;
  for (const { groups: { side, above, below } = {} } of body.matchAll(PADDING))
    paddings += Number(above) + (side === undefined ? Number(below ?? above) : 0);
  return Math.min(MAX_HEIGHT, Math.round(paddings + (lines + marks) * LINE + spaces * SPACE + images));
}
