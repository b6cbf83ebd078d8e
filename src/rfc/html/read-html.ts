/** Finds the images and links of HTML, so that they can be checked. */
import { decodeEntities } from '../message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../message/html-scan.ts';
import { FullTagReader } from '../message/html-tags.ts';

export interface HtmlLink {
  /** The URL without surrounding white space, as a browser reads it. */
  href: string;
  /** The visible text of the link, including the alternative texts of images in the link. */
  text: string;
  /** `text` with a space at each tag, for checks. Attack: hidden text next to a host name, which is then no separate word in `text`. */
  parted: string;
}

interface FoundImage {
  src: string;
  /** The alternative text. Null if the attribute is missing. Empty for a decorative image. */
  alt: string | null;
}

export interface HtmlOutline {
  links: HtmlLink[];
  images: FoundImage[];
}

interface OutlineLimits {
  /** The maximum number of links. The same limit applies to images. */
  found: number;
  /** The maximum length of the text of a link, in characters. */
  text: number;
}

const LIMITS: OutlineLimits = { found: 1_000, text: 200 };

/** Reads HTML in one pass, in linear time for any text. */
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
    // `<wbr>` allows a line break inside a word, so it does not separate words.
    if (link !== null && name !== 'wbr') link.parted += ' ';
    if (kind === 'end') {
      if (name === 'a') link = null;
    } else if (RAW.has(name)) at = endOfRaw(html, at, name);
    else if ((name === 'a' || name === 'area') && tag.hrefAt !== -1) {
      const found = { href: decodeEntities(tag.href).trim(), text: '', parted: '' };
      if (links.length < limits.found) links.push(found);
      // An `<area>` never has text.
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

/** Appends text. Runs of white space become one space. */
function addText(link: HtmlLink, text: string, limits: OutlineLimits): void {
  if (link.text.length >= limits.text) return;
  const added = text.replaceAll(/\s+/g, ' ').slice(0, limits.text);
  link.text += added;
  link.parted += added;
}
