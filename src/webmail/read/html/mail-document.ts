/**
 * Builds the frame document of an HTML message (docs/web-client.md). The sanitized HTML is serialized again, and images are loaded only
 * through this service.
 */
import { readHtml } from '../../../rfc/html/read-html.ts';
import type { Theme } from '../../../rfc/html/clean-style.ts';
import { attribute, escapeHtml, type WrittenLink, writeShown } from '../../../rfc/html/write-shown.ts';
import { judgeLink } from '../links/judge-link.ts';
import { PixelSum } from '../parts/pixel-sum.ts';
import { HEAD_BYTES, readRaster } from '../parts/raster.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import { attributeLeavesMarksVisible, leavesMarksVisible, MARKED_STYLE } from './marked-styles.ts';
import { selectorBudget } from './selector-budget.ts';
import { DARK_TEXT, DarkColors } from './dark-colors.ts';

export interface DocumentOptions {
  /**
   * Dark only if the message has styles for a dark theme, or if its colors can be converted (`CleanHtml.dark`). A sheet is light, and has a
   * background and a margin, because the page around it is dark.
   */
  theme: Theme | 'sheet';
  /** Whether to convert the colors of the message to the dark theme. */
  convertsColors?: boolean;
  /** Returns the URL at which this service serves a remote image, or null if the image is not shown. */
  remote: ((url: string) => string | null) | null;
  /** Returns the URL of an image that is a part of the message, or null if the message has no such part. */
  inline: (contentId: string) => string | null;
  /** Returns the target of a `mailto:` link, or null if the link has no target. */
  writing: (mailto: string) => string | null;
}

/** Only raster images, because other formats that browsers draw, such as SVG, can contain active content. */
const DATA = /^data:image\/(?:png|gif|jpe?g|webp|bmp|x-icon);base64,/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MAX_HEAD_BASE64 = Math.ceil(HEAD_BYTES / 3) * 4;
const REMOTE = /^(?:https?:)?\/\/[^/\\]/i;
/**
 * All links are checked with their whole text (a message has a maximum size), because an unchecked link or the end of a long text may
 * mislead.
 */
export const LINKS = { found: 25_000, text: Number.POSITIVE_INFINITY };
export const MAX_REMOTE = 500;
const MAX_URL = 4_096;
/** The maximum nesting depth. Attack: with 300 nested boxes, a browser runs out of memory and crashes the whole page. */
const MAX_DEPTH = 150;
/**
 * Style that puts the warning about a misleading link on a separate line, at the start of the box with the link. Attack: nested paddings,
 * or a wide table with text aligned to its far side, push the warning out of sight to the side. The automatic margin overrides
 * `align=right`. The line has the direction of the document, because the start of a wide box is the visible side.
 */
const MARK_LINE_STYLE =
  'all:initial!important;display:block!important;width:fit-content!important;margin-inline:0 auto!important';
/**
 * Style of the warning about a misleading link. `all` and `!important` keep out the styles of the message. `all` does not reset `direction`
 * and `unicode-bidi`, so these are set, too. The warning is drawn above the message (attack: text and images cover the warning). It is an
 * inline block, so that a line-through of the surrounding text does not cross it. A long host name wraps at the width of the frame, so that
 * its end, which identifies the owner, is visible.
 */
const MARK_STYLE =
  'all:initial!important;display:inline-block!important;position:relative!important;z-index:2147483647!important;direction:ltr!important;unicode-bidi:isolate!important;max-width:80vw!important;overflow-wrap:break-word!important;font:12px system-ui,sans-serif!important;color:#fff!important;background:#b42318!important;padding:0 4px!important;border-radius:3px!important';

/** The URL as a browser would request it, without the fragment. Null for a URL that is neither http nor https. */
export function remoteUrl(url: string): string | null {
  if (!REMOTE.test(url) || url.length > MAX_URL) return null;
  const parsed = URL.parse(url.startsWith('//') ? `https:${url}` : url);
  return parsed === null || parsed.username !== '' || parsed.password !== ''
    ? null
    : (parsed.href.split('#', 1)[0] as string);
}

/** Images that the script of the frame made blank. */
const BLANK_IMAGES =
  'img[src^="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw"]{background:#8882;border-radius:4px}';

/** Units that depend on the height of the frame. Attack: content that grows whenever the frame grows. */
const FRAME_HEIGHT = /\d(?:[sld]?v(?:h|b|min|max)|cq(?:h|b|min|max))(?![\w-])/i;

/** Takes time proportional to the length of `clean`. @param clean HTML from `sanitizeHtml` */
export function mailDocument(clean: string, options: DocumentOptions): string {
  const { theme, convertsColors = false, remote, inline, writing } = options;
  const problems = new Map<string, WrittenLink>();
  const { links } = readHtml(clean, LINKS);
  for (const { href, text, parted } of links)
    if (problems.get(href)?.htmlAfter === undefined)
      problems.set(href, writtenLink(href, writing, text, parted));
  const isMarked =
    links.length >= LINKS.found || [...problems.values()].some(({ htmlAfter }) => htmlAfter !== undefined);
  const pixels = new PixelSum();
  /** Images in styles, which a browser may load only under some conditions. */
  const ofStyles = new Set<string>();
  const shown = writeShown(clean, {
    theme: theme === 'dark' ? 'dark' : 'light',
    allowsSelector: selectorBudget(clean),
    mapColors: convertsColors ? new DarkColors().convert : undefined,
    keepsDeclaration: (property, value) =>
      !FRAME_HEIGHT.test(value) && (!isMarked || leavesMarksVisible(property, value)),
    keepsAttribute: isMarked ? attributeLeavesMarksVisible : undefined,
    maxDepth: MAX_DEPTH,
    image(url, isOfStyle) {
      if (/^data:/i.test(url)) return shownData(url, pixels);
      if (/^cid:/i.test(url)) return inline(contentIdOf(url));
      const target = remote === null ? null : remoteUrl(url);
      if (remote === null || target === null) return null;
      const through = remote(target);
      if (isOfStyle && through !== null) ofStyles.add(through);
      return through;
    },
    link: (href) => problems.get(href) ?? writtenLink(href, writing),
  });
  return [
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">',
    `<title>Message</title>${isMarked ? '<meta name="scale" content="fixed">' : ''}<script>${FRAME_SCRIPT}</script>`,
    `<style>${baseStyle(theme)}${isMarked ? MARKED_STYLE : ''}</style>`,
    shown.html,
    // Attack: an image that loads only for a screen width or a pointer position reveals the width or position. Therefore all images of
    // styles are always loaded.
    ...[...ofStyles]
      .slice(0, MAX_REMOTE)
      .map((url) => `<img alt="" style="display:none!important"${attribute('src', url)}>`),
  ].join('');
}

/** Rewrites a `data:` image with the type of its bytes. Returns null if the image is not shown. */
function shownData(url: string, pixels: PixelSum): string | null {
  const head = DATA.exec(url)?.[0];
  if (head === undefined) return null;
  const base64 = percentDecoded(url.slice(head.length)).replaceAll(/\s+/g, '');
  // Attack: characters that a browser decodes differently from this service, so that it draws another image than the one that was checked.
  if (!BASE64.test(base64)) return null;
  const raster = readRaster(Buffer.from(base64.slice(0, MAX_HEAD_BASE64), 'base64'));
  if (raster === null || !pixels.admits(base64, raster.pixels)) return null;
  return `data:${raster.type};base64,${base64}`;
}

function writtenLink(
  href: string,
  writing: DocumentOptions['writing'],
  text = '',
  parted = text,
): WrittenLink {
  if (/^#[^\s]/.test(href)) return { attributes: { href } };
  const link = judgeLink(href, text, parted);
  const leads = link?.url.startsWith('mailto:') === true ? writing(link.url) : link?.url;
  if (link === null || leads == null)
    return { attributes: { title: `Disabled link: ${href.slice(0, 200)}` } };
  const attributes = {
    href: leads,
    target: '_blank',
    rel: 'noopener noreferrer',
    title: `${link.leadsTo} — ${link.url.slice(0, 500)}`,
  };
  if (link.problem === null) return { attributes };
  const mark = `<span style="${MARK_STYLE}">${escapeHtml(`⚠ leads to ${link.leadsTo}`)}</span>`;
  const htmlAfter = `<span style="${MARK_LINE_STYLE}">${mark}</span>`;
  return { attributes, htmlAfter };
}

export function contentIdOf(url: string): string {
  return percentDecoded(url.slice('cid:'.length));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The frame is transparent, and the page draws its background, except behind a sheet. */
function baseStyle(theme: DocumentOptions['theme']): string {
  const isSheet = theme === 'sheet';
  const colors =
    theme === 'dark'
      ? `:root{color-scheme:dark!important;color:${DARK_TEXT}}a{color:#8ab4f8}`
      : `:root{color-scheme:light!important;color:#18181b${isSheet ? ';background:#fff' : ''}}`;
  return `${colors}html{overflow-wrap:anywhere}body{margin:${isSheet ? '12px' : '0'};font:14px/1.57 system-ui,sans-serif}img{max-width:100%}pre{overflow-x:auto}${BLANK_IMAGES}`;
}
