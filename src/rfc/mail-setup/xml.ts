/** XML 1.0: writes elements, and reads small untrusted documents. */

class SafeXml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Text that is already XML. Only `xml` creates such text. */
export type Xml = SafeXml;

type Part = Xml | string | number | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML cannot represent (XML 1.0, section 2.2). */
const UNWRITABLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** A template tag for XML. Escapes all values, except values that this tag created. Put attribute values in quotes. */
export function xml(strings: TemplateStringsArray, ...parts: readonly Part[]): Xml {
  let text = strings[0] ?? '';
  for (const [at, part] of parts.entries()) text += render(part) + (strings[at + 1] ?? '');
  return new SafeXml(text);
}

function render(part: Part): string {
  if (part instanceof SafeXml) return part.toString();
  if (typeof part === 'object') return part.map(render).join('');
  return String(part)
    .replaceAll(UNWRITABLE, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

export interface XmlElement {
  /** The name of the element without the namespace prefix, which is ignored. */
  name: string;
  attributes: ReadonlyMap<string, string>;
  /** The text directly in the element, without white space at its ends. */
  text: string;
  children: readonly XmlElement[];
}

interface OpenElement extends XmlElement {
  /** The name of the element with the namespace prefix. */
  tag: string;
  attributes: Map<string, string>;
  children: XmlElement[];
}

const MAX_CHARACTERS = 16 * 1024;
const MAX_ELEMENTS = 200;
const MAX_DEPTH = 16;

const NAME = /[\p{L}_][\p{L}\p{N}_.-]*(?::[\p{L}_][\p{L}\p{N}_.-]*)?/uy;
const ATTRIBUTE = /[ \t\r\n]+([^ \t\r\n=<>/'"]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')/y;
const TAG_END = /[ \t\r\n]*(\/?)>/y;
const SPACE_ONLY = /^[ \t\r\n]*$/;
/** The start and end of markup that is skipped. Document types are rejected. Attack: a type defines entities that expand exponentially. */
const SKIPPED = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const;

/**
 * Reads a document of at most 16,384 characters, 200 elements and 16 levels. Supports the five entities of XML and character references.
 *
 * @returns the root element, or null if the document is not well-formed, is too large, or has a document type
 */
export function readXml(document: string): XmlElement | null {
  if (document.length > MAX_CHARACTERS) return null;
  const text = document.replace(/^\ufeff/, '');
  const open: OpenElement[] = [];
  let root: OpenElement | null = null;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '<') {
      const end = indexOr(text, '<', at);
      const content = unescape(text.slice(at, end));
      const holder = open.at(-1);
      if (content === null || (holder === undefined && !SPACE_ONLY.test(content))) return null;
      if (holder !== undefined) holder.text += content;
      at = end;
      continue;
    }
    const skipped = SKIPPED.find(([begin]) => text.startsWith(begin, at));
    if (skipped !== undefined) {
      const end = text.indexOf(skipped[1], at + skipped[0].length);
      if (end === -1) return null;
      at = end + skipped[1].length;
      continue;
    }
    if (text.startsWith('<![CDATA[', at)) {
      const end = text.indexOf(']]>', at);
      const holder = open.at(-1);
      if (end === -1 || holder === undefined) return null;
      holder.text += text.slice(at + '<![CDATA['.length, end);
      at = end + ']]>'.length;
      continue;
    }
    if (text.startsWith('</', at)) {
      const closed = open.pop();
      const end = text.indexOf('>', at);
      if (closed === undefined || end === -1 || text.slice(at + 2, end).trimEnd() !== closed.tag) return null;
      closed.text = closed.text.trim();
      at = end + 1;
      continue;
    }
    const started = readTag(text, at);
    if (started === null || ++count > MAX_ELEMENTS || open.length === MAX_DEPTH) return null;
    const { element, isEmpty, end } = started;
    const parent = open.at(-1);
    if (parent === undefined && root !== null) return null;
    root ??= element;
    parent?.children.push(element);
    if (!isEmpty) open.push(element);
    at = end;
  }
  return open.length === 0 ? root : null;
}

function readTag(text: string, at: number): { element: OpenElement; isEmpty: boolean; end: number } | null {
  NAME.lastIndex = at + 1;
  const tag = NAME.exec(text)?.[0];
  if (tag === undefined) return null;
  const attributes = new Map<string, string>();
  let end = NAME.lastIndex;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const found = ATTRIBUTE.exec(text);
    if (found === null) break;
    const [, name = '', double, single = ''] = found;
    const value = unescape(double ?? single);
    if (value === null || attributes.has(name)) return null;
    attributes.set(name, value);
    end = ATTRIBUTE.lastIndex;
  }
  TAG_END.lastIndex = end;
  const closing = TAG_END.exec(text);
  if (closing === null) return null;
  const name = tag.slice(tag.indexOf(':') + 1);
  const element = { tag, name, attributes, text: '', children: [] };
  return { element, isEmpty: closing[1] === '/', end: TAG_END.lastIndex };
}

function indexOr(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at;
}

const CHARACTERS = new Map(Object.entries(ESCAPES).map(([character, entity]) => [entity, character]));
const REFERENCE = /^&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));$/;

/** Decodes references to characters and to the five entities of XML. @returns null if there is a reference to another entity */
function unescape(text: string): string | null {
  if (!text.includes('&')) return text;
  let isWrong = false;
  const plain = text.replaceAll(/&[^;&]{0,10};?/g, (entity) => {
    const known = CHARACTERS.get(entity);
    if (known !== undefined) return known;
    const [, hex, decimal] = REFERENCE.exec(entity) ?? [];
    const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\0';
    if (character.replaceAll(UNWRITABLE, '') === '') isWrong = true;
    return character;
  });
  return isWrong ? null : plain;
}
