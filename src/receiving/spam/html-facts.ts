/** The facts about HTML that spam rules test: its links with their visible text, and hidden text. */
import { decodeEntities } from '../../rfc/message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../../rfc/message/html-scan.ts';
import { TagReader } from '../../rfc/message/html-tags.ts';

export interface HtmlFacts {
  links: { href: string; text: string }[];
  /** The visible text, with white space collapsed. */
  text: string;
  /** The number of letters in elements that are hidden, or too small or too pale to read. */
  hiddenLetters: number;
  images: number;
  hasForm: boolean;
  hasScript: boolean;
}

const MAX_LINKS = 200;
const MAX_TEXT = 200;
const HIDING =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em|%)?\s*(?:;|$|!)|opacity\s*:\s*0?(?:\.0+)?\s*(?:;|$|!)/i;
/** Elements without content, so nothing can be hidden inside them. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);
const LETTERS = /[\p{L}\p{N}]/gu;

/** Reads HTML in one pass. Takes time proportional to the length of the text. */
export function readHtml(html: string): HtmlFacts {
  const facts: HtmlFacts = {
    links: [],
    text: '',
    hiddenLetters: 0,
    images: 0,
    hasForm: false,
    hasScript: false,
  };
  const tag = new TagReader();
  const shown: string[] = [];
  /** The name of the element that hides text, and the number of open elements of the same name inside it. */
  let hidden: { name: string; depth: number } | null = null;
  let link: { href: string; text: string } | null = null;
  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    if (open > at) {
      const text = decodeEntities(html.slice(at, open));
      if (hidden !== null) facts.hiddenLetters += text.match(LETTERS)?.length ?? 0;
      else {
        shown.push(text);
        if (link !== null && link.text.length < MAX_TEXT) link.text += text;
      }
    }
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    const end = tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (end === -1) break;
    at = end;
    const { name } = tag;
    if (kind === 'end') {
      if (name === 'a') link = null;
      if (hidden?.name === name && --hidden.depth === 0) hidden = null;
      shown.push(' ');
      continue;
    }
    if (name === 'img') facts.images++;
    else if (name === 'form') facts.hasForm = true;
    else if (name === 'script') facts.hasScript = true;
    if (RAW.has(name)) {
      at = endOfRaw(html, end, name);
      continue;
    }
    if (name === 'a' || name === 'area') {
      link = { href: decodeEntities(tag.href).trim().slice(0, 2_000), text: '' };
      if (link.href !== '' && facts.links.length < MAX_LINKS) facts.links.push(link);
    }
    if (VOID.has(name) || tag.selfClosing) continue;
    if (hidden !== null) {
      if (hidden.name === name) hidden.depth++;
    } else if (tag.hidden || HIDING.test(tag.style)) hidden = { name, depth: 1 };
  }
  facts.text = shown.join('').replaceAll(/\s+/g, ' ').trim();
  return facts;
}
