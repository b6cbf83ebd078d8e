/** Makes the copy of a tracked email for one recipient, with a separate pixel, links and header fields (docs/tracking.md). */
import type { Tracking } from '../../model/tracking.ts';
import { changeHtml } from '../../rfc/message/html-links.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import type { TrackedRecipient, TrackingLinks } from './tracking-links.ts';
import { fillPlaceholder, unsubscribeHeaders } from './unsubscribe-placeholder.ts';

/** The parts of an email that tracking changes. */
export interface TrackedContent {
  html: string | null;
  text: string | null;
  headers: Record<string, string> | null;
}

/** The maximum number of links rewritten per email. Stops this attack: a text that consists of links blocks the worker. */
const MAX_LINKS = 1_000;

/** Makes the copy. A pure function, so that each attempt sends the same message. */
export function recipientsCopy(
  content: TrackedContent,
  { opens, clicks, unsubscribe, base_url: baseUrl }: Tracking,
  of: TrackedRecipient,
  links: TrackingLinks,
): TrackedContent {
  const unsubscribeUrl = unsubscribe ? links.unsubscribe(baseUrl, of) : null;
  const filled = unsubscribeUrl === null ? content : fillAll(content, unsubscribeUrl);
  if (filled.html === null || !(opens || clicks)) return filled;
  let changed = 0;
  const html = changeHtml(filled.html, {
    link(href) {
      if (!clicks || href === unsubscribeUrl || changed >= MAX_LINKS) return null;
      const link = links.click(baseUrl, of, href);
      if (link !== null) changed += 1;
      return link;
    },
    beforeBodyEnd: opens ? pixel(links.pixel(baseUrl, of)) : '',
  });
  // A generated text is made from the sender's HTML, without tracked links.
  return { ...filled, html, text: filled.text ?? htmlToText(filled.html) };
}

function fillAll({ html, text, headers }: TrackedContent, url: string): TrackedContent {
  return {
    html: html === null ? null : fillPlaceholder(html, url),
    text: text === null ? null : fillPlaceholder(text, url),
    headers: unsubscribeHeaders(headers, url),
  };
}

/** The pixel has no `display: none`, because some mail clients do not load hidden images. */
function pixel(url: string): string {
  return `<img src="${url}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;
}
