/**
 * The HTML of an email as a page that shows it and does nothing else (`rfc/html/write-shown.ts`). The policy of the answer
 * (docs/emails.md, What the preview shows) is a second wall, not the first.
 */
import type { Theme } from '../../rfc/html/clean-style.ts';
import { writeShown, type WrittenLink } from '../../rfc/html/write-shown.ts';

export interface PreviewOptions {
  theme: Theme;
  /** Images of other hosts are loaded. */
  remote: boolean;
}

const SHOWN_DATA = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]/i;
const REMOTE = /^https?:\/\/[^/]/i;
/** An image by which this service counts an open or a click: the preview is neither. */
const COUNTED = /\/t\/[ocu]\/[A-Za-z0-9_-]{64}/;
/** Nothing has this id: a click on it leads nowhere, and does not scroll. */
const NOWHERE = '#-posthorn-no-link';

/** A whole document. In time proportional to the length of any text. */
export function previewDocument(html: string, { theme, remote }: PreviewOptions): string {
  const loads = (url: string): boolean =>
    SHOWN_DATA.test(url) || (remote && REMOTE.test(url) && !COUNTED.test(url));
  const shown = writeShown(html, { theme, image: (url) => (loads(url) ? url : null), link: linkTo });
  const head = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><style>${baseStyle(theme, shown.hasOwnDark)}</style>`;
  return head + shown.html;
}

/** It looks like a link, and says where it would lead; within the message it leads there. */
function linkTo(href: string): WrittenLink {
  if (/^#[^\s]/.test(href)) return { attributes: { href } };
  return { attributes: { href: NOWHERE, title: href.slice(0, 2_000) } };
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
