/** The images and links of HTML, for who checks them. */
import { decodeEntities } from '../message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../message/html-scan.ts';
import { FullTagReader } from '../message/html-tags.ts';

export interface HtmlLink {
  /** As a browser takes it: without white space around it. */
  href: string;
  /** What the reader sees of it, or of the image within it. */
  text: string;
  /** The same with a space at each tag, for who must not be led astray by what one of them hides. */
  parted: string;
}

interface FoundImage {
  src: string;
  /** null: it has none at all. Empty: it says that it means nothing. */
  alt: string | null;
}

export interface HtmlOutline {
  links: HtmlLink[];
  images: FoundImage[];
}

interface OutlineLimits {
  /** Of links, and of images: the first so many. */
  found: number;
  /** Characters of a link. */
  text: number;
}

const LIMITS: OutlineLimits = { found: 1_000, text: 200 };

/** One pass, in time proportional to the length of any text. */
export function readHtml(html: string, limits: OutlineLimits = LIMITS): HtmlOutline {
  const links: HtmlLink[] = [];
  const images: FoundImage[] = [];
  const tag = new FullTagReader();
  let link: HtmlLink | null = null;
  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    if (link !== null) addText(link, decodeEntities(html.slice(at, open)), limits);
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    at = tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (at === -1) break;
    const { name, attributes } = tag;
    // That is where a long word may be broken.
    if (link !== null && name !== 'wbr') link.parted += ' ';
    if (kind === 'end') {
      if (name === 'a') link = null;
    } else if (RAW.has(name)) at = endOfRaw(html, at, name);
    else if ((name === 'a' || name === 'area') && tag.hrefAt !== -1) {
      const found = { href: decodeEntities(tag.href).trim(), text: '', parted: '' };
      if (links.length < limits.found) links.push(found);
      // An area of an image has no text, whatever stands behind it.
      if (name === 'a') link = found;
    } else if (name === 'img') {
      const alt = attributes.get('alt');
      if (images.length < limits.found)
        images.push({
          src: decodeEntities(attributes.get('src') ?? '').trim(),
          alt: alt === undefined ? null : decodeEntities(alt),
        });
      if (link !== null && alt !== undefined) addText(link, decodeEntities(alt), limits);
    }
  }
  for (const found of links) {
    found.text = found.text.replaceAll(/\s+/g, ' ').trim();
    found.parted = found.parted.replaceAll(/\s+/g, ' ').trim();
  }
  return { links, images };
}

/** Much space is seen as one. */
function addText(link: HtmlLink, text: string, limits: OutlineLimits): void {
  if (link.text.length >= limits.text) return;
  const added = text.replaceAll(/\s+/g, ' ').slice(0, limits.text);
  link.text += added;
  link.parted += added;
}
