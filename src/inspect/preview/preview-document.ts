/**
 * The HTML of an email as a page that shows it and does nothing else. What is shown is written anew, tag by tag, from a list of what mail is
 * made of: every `<` of the result is one that stands here. So a browser finds exactly the tags that were found, and nothing that it
 * would read in another way (foreign content, scripts, frames, forms, `meta`, `base` and `link`) is there at all. The policy of the answer
 * (docs/emails.md, What the preview shows) is a second wall, not the first.
 */
import { decodeEntities } from '../../rfc/message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../../rfc/message/html-scan.ts';
import { FullTagReader } from '../../rfc/message/html-tags.ts';
import { ATTRIBUTES, ELEMENTS, IMAGE_ATTRIBUTES, LEFT_OUT } from './attributes.ts';
import { cleanStyle, type Theme } from './clean-style.ts';

export interface PreviewOptions {
  theme: Theme;
  /** Images of other hosts are loaded. */
  remote: boolean;
}

const SHOWN_DATA = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]/i;
const REMOTE = /^https?:\/\/[^/]/i;
/** An image by which this service counts an open or a click: the preview is neither. */
const COUNTED = /\/t\/[ocu]\/[A-Za-z0-9_-]{64}/;
const DARK_STYLE = /prefers-color-scheme\s*:\s*dark|color-scheme\s*:[^;}]{0,60}\bdark\b/i;
/** Nothing has this id: a click on it leads nowhere, and does not scroll. */
const NOWHERE = '#-posthorn-no-link';
/** Browsers pass over these within a URL. */
const IGNORED_IN_URL = /[\t\r\n]/g;

/** A whole document. One pass, in time proportional to the length of any text. */
export function previewDocument(html: string, { theme, remote }: PreviewOptions): string {
  const loads = (url: string): boolean =>
    SHOWN_DATA.test(url) || (remote && REMOTE.test(url) && !COUNTED.test(url));
  const shown: string[] = [];
  let hasOwnDark = false;
  const tag = new FullTagReader();

  const writeTag = (): void => {
    shown.push('<', tag.name);
    for (const [name, written] of tag.attributes) {
      const value = decodeEntities(written);
      if (IMAGE_ATTRIBUTES.has(name)) {
        const url = value.trim().replaceAll(IGNORED_IN_URL, '');
        if (loads(url)) shown.push(attribute(name, url));
      } else if (name === 'style') shown.push(attribute(name, cleanStyle(value, theme, loads)));
      else if (name === 'href') shown.push(linkTo(value.trim()));
      else if (ATTRIBUTES.has(name) && !(name === 'title' && tag.hrefAt !== -1))
        shown.push(attribute(name, value));
    }
    shown.push('>');
  };

  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    shown.push(html.slice(at, open).replaceAll('<', '&lt;'));
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    at = tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (at === -1) break;
    const { name } = tag;
    if (kind === 'end') {
      if (ELEMENTS.has(name)) shown.push('</', name, '>');
    } else if (ELEMENTS.has(name)) writeTag();
    else if (name === 'meta') hasOwnDark ||= saysDark(tag.attributes);
    else if ((RAW.has(name) || LEFT_OUT.has(name)) && !(LEFT_OUT.has(name) && tag.selfClosing)) {
      const end = endOfRaw(html, at, name);
      if (name === 'style') {
        const style = html.slice(at, end);
        hasOwnDark ||= DARK_STYLE.test(style);
        shown.push('<style>', cleanStyle(style, theme, loads), '</style>');
      }
      at = end;
    }
  }
  const head = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><style>${baseStyle(theme, hasOwnDark)}</style>`;
  return head + shown.join('');
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escaped(value)}"`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** It looks like a link, and says where it would lead; within the message it leads there. */
function linkTo(href: string): string {
  if (/^#[^\s]/.test(href)) return attribute('href', href);
  return attribute('href', NOWHERE) + attribute('title', href.slice(0, 2_000));
}

function saysDark(attributes: ReadonlyMap<string, string>): boolean {
  const name = attributes.get('name') ?? '';
  return /^(?:supported-)?color-schemes?$/i.test(name) && /\bdark\b/i.test(attributes.get('content') ?? '');
}

/** What mail apps do that darken a message by themselves: turn what is light, and leave photographs as they are. */
const TURNED =
  ':root{color-scheme:light;background:#fff;color:#000;filter:invert(.93) hue-rotate(180deg)}img,[background],[style*="url("]{filter:invert(1) hue-rotate(180deg)}';

function baseStyle(theme: Theme, hasOwnDark: boolean): string {
  const plain = 'body{margin:16px;overflow-wrap:anywhere}';
  // No ground of its own: that of the message's body is to fill the frame, which is white itself.
  if (theme === 'light') return `:root{color-scheme:light;color:#000}${plain}`;
  return (hasOwnDark ? ':root{color-scheme:dark}' : TURNED) + plain;
}
