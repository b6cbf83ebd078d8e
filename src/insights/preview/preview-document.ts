/**
 * The HTML of an email as a page that only displays the email (`rfc/html/write-shown.ts`). The Content-Security-Policy of the response
 * (docs/emails.md, What the preview shows) is only the second line of defense.
 */
import type { Theme } from '../../rfc/html/clean-style.ts';
import { writeShown, type WrittenLink } from '../../rfc/html/write-shown.ts';

export interface PreviewOptions {
  theme: Theme;
  /** Whether images of other hosts are loaded. */
  remote: boolean;
}

const SHOWN_DATA = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]/i;
const REMOTE = /^https?:\/\/[^/]/i;
/**
 * Matches the URLs by which this service counts opens and clicks. A preview must not request them, or it would count as an open or a click.
 */
const COUNTED = /\/t\/[ocu]\/[A-Za-z0-9_-]{64}/;
/** A link target that no element has as its ID, so a click does nothing, not even scroll. */
const NOWHERE = '#-posthorn-no-link';

/** Returns a whole document, in time proportional to the length of the HTML, regardless of its content. */
export function previewDocument(html: string, { theme, remote }: PreviewOptions): string {
  const loads = (url: string): boolean =>
    SHOWN_DATA.test(url) || (remote && REMOTE.test(url) && !COUNTED.test(url));
  const shown = writeShown(html, { theme, image: (url) => (loads(url) ? url : null), link: linkTo });
  const head = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><style>${baseStyle(theme, shown.hasOwnDark)}</style>`;
  return head + shown.html;
}

/** Makes a link inert, with its URL as the title. Links within the message still work. */
function linkTo(href: string): WrittenLink {
  if (/^#[^\s]/.test(href)) return { attributes: { href } };
  return { attributes: { href: NOWHERE, title: href.slice(0, 2_000) } };
}

/** Darkens a message like mail apps: inverts light colors and leaves photographs unchanged. */
const TURNED =
  ':root{color-scheme:light;background:#fff;color:#000;filter:invert(.93) hue-rotate(180deg)}img,[background],[style*="url("]{filter:invert(1) hue-rotate(180deg)}';

function baseStyle(theme: Theme, hasOwnDark: boolean): string {
  const plain = 'body{margin:16px;overflow-wrap:anywhere}';
  // Set no background. The frame is white by default, and if the message's body has a background, it must fill the frame.
  if (theme === 'light') return `:root{color-scheme:light;color:#000}${plain}`;
  return (hasOwnDark ? ':root{color-scheme:dark}' : TURNED) + plain;
}
