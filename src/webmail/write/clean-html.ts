/**
 * Sanitizes HTML that a user wrote or quoted, before the HTML is sent in the name of the mailbox. Instead of repairing the input, the
 * sanitizer writes new HTML with only the elements, attributes and styles of an allowlist. A mail app's interpretation of any other input
 * therefore does not matter.
 */
import { setImmediate } from 'node:timers/promises';
import { decodeEntities } from '../../rfc/message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../../rfc/message/html-scan.ts';
import { FullTagReader } from '../../rfc/message/html-tags.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const TABLE = 'width height align valign bgcolor';
/** Allowed elements, with the attributes that they may have in addition to `COMMON`. */
const ELEMENTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...'abbr b bdi bdo br caption center cite code dd del dfn div dl dt em h1 h2 h3 h4 h5 h6 i ins kbd mark p pre q s samp small span strike strong sub sup tbody tfoot thead tt u ul var wbr'
    .split(' ')
    .map((name) => [name, words('align')] as const),
  ['a', words('href')],
  ['blockquote', words('type')],
  ['col', words('span width')],
  ['colgroup', words('span width')],
  ['font', words('color face size')],
  ['hr', words('width size align')],
  ['img', words('src alt width height border')],
  ['li', words('value')],
  ['ol', words('start type')],
  ['table', words(`${TABLE} border cellpadding cellspacing`)],
  ['td', words(`${TABLE} colspan rowspan`)],
  ['th', words(`${TABLE} colspan rowspan`)],
  ['tr', words('align valign bgcolor')],
]);
const COMMON = words('dir lang title style class');
const VOID = words('br col hr img wbr');
/** Elements that are removed with their content, like the elements of `RAW`. */
const DROPPED = words(
  'applet audio button canvas embed frameset head math noscript object option optgroup select svg template video',
);
/** Classes that our composer sets. */
const CLASSES = words('signature file-link');
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;
const REMOTE_IMAGE = /^https?:\/\//i;
/** The URL of an inline image, which is an upload sent within the message. */
const INLINE = /^cid:(upl_[0-7][0-9A-HJKMNP-TV-Z]{25})$/;
const NOT_IN_URLS = /[\p{Cc}\p{Z}]/u;
const MAX_URL = 4_096;
const MAX_VALUE = 2_000;
const PROPERTY =
  /^(?:color|background-color|direction|display|float|clear|height|width|(?:max|min)-(?:height|width)|letter-spacing|line-height|white-space|vertical-align|word-break|overflow-wrap|(?:font|text|margin|padding|border|list-style)(?:-[a-z]+){0,2})$/;
/** A safe style value. Allows neither URLs nor escapes, which could form a URL. */
const STYLE_VALUE = /^[\w\s#%.,'"+!-]*(?:(?:rgb|hsl)a?\([\d\s.,%/]+\)[\w\s#%.,'"+!-]*)?$/;
/** Matches the style of an invisible image, in the form that `cleanStyle` writes. */
const UNSEEN =
  /(?:^|; )(?:(?:max-)?(?:width|height): *[01](?:\.\d*)?(?:px)?|display: *none)(?: *! *important)?(?:;|$)/i;
const MAX_DEPTH = 100;
/** Characters processed before yielding to other work: about a millisecond. */
const SLICE_LENGTH = 32_768;

/**
 * Takes time proportional to the length of the HTML and yields to other work in between.
 * @param uploads the URL prefix under which pages show uploads. Images with this prefix get the source `cid:<id>`
 */
export async function sanitizeOutgoing(html: string, uploads: string): Promise<string> {
  const out = new Rewriter(uploads);
  let sliceEnd = SLICE_LENGTH;
  let at = 0;
  while (at < html.length) {
    if (at >= sliceEnd) {
      await setImmediate();
      sliceEnd = at + SLICE_LENGTH;
    }
    at = out.step(html, at);
  }
  return out.end();
}

class Rewriter {
  readonly #uploads: string;
  readonly #tag = new FullTagReader();
  readonly #written: string[] = [];
  readonly #open: string[] = [];
  /** The element that is being removed with its content, and the number of open elements with its name. */
  #dropped = '';
  #droppedDepth = 0;

  constructor(uploads: string) {
    this.#uploads = uploads;
  }

  /** @returns the position after the processed piece */
  step(html: string, at: number): number {
    const open = nextMarkup(html, at);
    if (open > at) this.#text(html.slice(at, open));
    if (open === html.length) return open;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') return endOfComment(html, open);
    const end = this.#tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (end === -1) return html.length;
    const { name } = this.#tag;
    if (kind === 'end') {
      this.#endTag(name);
      return end;
    }
    if (RAW.has(name)) return endOfRaw(html, end, name);
    this.#startTag(name);
    return end;
  }

  end(): string {
    while (this.#open.length > 0) this.#written.push(`</${this.#open.pop()}>`);
    return this.#written.join('');
  }

  /** Copies text with its character references, which cannot form markup. */
  #text(text: string): void {
    if (this.#droppedDepth === 0)
      this.#written.push(text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\0', ''));
  }

  #startTag(name: string): void {
    if (this.#droppedDepth > 0) {
      if (name === this.#dropped && !this.#tag.selfClosing) this.#droppedDepth += 1;
      return;
    }
    if (DROPPED.has(name)) {
      if (name === 'embed' || this.#tag.selfClosing) return;
      this.#dropped = name;
      this.#droppedDepth = 1;
      return;
    }
    const allowed = ELEMENTS.get(name);
    if (allowed === undefined || (!VOID.has(name) && this.#open.length >= MAX_DEPTH)) return;
    const attributes = this.#attributes(name, allowed);
    if (attributes === null) return;
    this.#written.push(`<${name}${attributes}>`);
    if (!VOID.has(name)) this.#open.push(name);
  }

  #endTag(name: string): void {
    if (this.#droppedDepth > 0) {
      if (name === this.#dropped) this.#droppedDepth -= 1;
      return;
    }
    // Browsers treat `</br>` as a line break.
    if (name === 'br') this.#written.push('<br>');
    const at = this.#open.lastIndexOf(name);
    if (at === -1) return;
    while (this.#open.length > at) this.#written.push(`</${this.#open.pop()}>`);
  }

  /** @returns null if the element is removed */
  #attributes(element: string, allowed: ReadonlySet<string>): string | null {
    let text = '';
    let hasSource = false;
    for (const [name, raw] of this.#tag.attributes) {
      if (!allowed.has(name) && !COMMON.has(name)) continue;
      const value = this.#value(name, decodeEntities(raw).toWellFormed());
      if (value === null) continue;
      // Images of one pixel are tracking pixels.
      if (element === 'img' && (name === 'width' || name === 'height') && /^\s*[01](px)?\s*$/i.test(value))
        return null;
      if (element === 'img' && name === 'style' && UNSEEN.test(value)) return null;
      if (name === 'src') hasSource = true;
      text += ` ${name}="${escaped(value)}"`;
    }
    return element === 'img' && !hasSource ? null : text;
  }

  #value(name: string, value: string): string | null {
    if (name === 'href') return isUrl(value, LINK) ? value.trim() : null;
    if (name === 'src') return this.#source(value.trim());
    if (name === 'style') return cleanStyle(value) || null;
    if (name === 'class') return CLASSES.has(value) ? value : null;
    return value.slice(0, MAX_VALUE);
  }

  #source(value: string): string | null {
    if (INLINE.test(value)) return value;
    // Pages refer to uploads with or without the host.
    const at = value.indexOf(this.#uploads);
    if (at !== -1 && (at === 0 || /^https?:\/\/[^/]+$/i.test(value.slice(0, at)))) {
      const inline = `cid:${value.slice(at + this.#uploads.length)}`;
      return INLINE.test(inline) ? inline : null;
    }
    return isUrl(value, REMOTE_IMAGE) ? value : null;
  }
}

function isUrl(value: string, scheme: RegExp): boolean {
  const url = value.trim();
  return url.length <= MAX_URL && scheme.test(url) && !NOT_IN_URLS.test(url);
}

function cleanStyle(style: string): string {
  const kept: string[] = [];
  for (const declaration of style.slice(0, MAX_VALUE).split(';')) {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    if (colon > 0 && PROPERTY.test(property) && STYLE_VALUE.test(value)) kept.push(`${property}: ${value}`);
  }
  return kept.join('; ');
}

/** Escapes text for HTML. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\0', '');
}

/** The ids of the uploads shown as images in sanitized HTML. */
export function inlineUploads(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(/ src="cid:(upl_[0-9A-Z]{26})"/g), ([, id = '']) => id));
}

/** Replaces the sources of inline images in sanitized HTML. */
export function withSources(html: string, sourceOf: (upload: string) => string): string {
  return html.replace(/ src="cid:(upl_[0-9A-Z]{26})"/g, (_, id: string) => ` src="${escaped(sourceOf(id))}"`);
}
