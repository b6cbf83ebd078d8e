/** The images and links of HTML, for who checks them. */
import { decodeEntities } from '../message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../message/html-scan.ts';
import { FullTagReader } from '../message/html-tags.ts';

export interface FoundLink {
  /** As a browser takes it: without white space around it. */
  href: string;
  /** What the reader sees of it, or of the image within it. */
  text: string;
}

interface FoundImage {
  src: string;
  /** null: it has none at all. Empty: it says that it means nothing. */
  alt: string | null;
}

export interface HtmlOutline {
  links: FoundLink[];
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
  const links: FoundLink[] = [];
  const images: FoundImage[] = [];
  const tag = new FullTagReader();
  let link: FoundLink | null = null;
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
    if (kind === 'end') {
      if (name === 'a') link = null;
    } else if (RAW.has(name)) at = endOfRaw(html, at, name);
    else if ((name === 'a' || name === 'area') && tag.hrefAt !== -1) {
      link = { href: decodeEntities(tag.href).trim(), text: '' };
      if (links.length < limits.found) links.push(link);
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
  for (const found of links) found.text = found.text.replaceAll(/\s+/g, ' ').trim();
  return { links, images };
}

/** Much space is seen as one. */
function addText(link: FoundLink, text: string, limits: OutlineLimits): void {
  if (link.text.length < limits.text) link.text += text.replaceAll(/\s+/g, ' ').slice(0, limits.text);
}
