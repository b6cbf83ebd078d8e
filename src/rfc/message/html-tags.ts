/** Splits tags as a browser does (HTML, section 13.2.5), as far as reading and rewriting mail requires. */

/** The kinds of characters that end a part of a tag, as bits. */
const SPACE = 1;
const SLASH = 2;
const EQUALS = 4;
const GREATER = 8;
const KIND_OF = new Uint8Array(128);
for (const character of ' \t\n\f\r') KIND_OF[character.charCodeAt(0)] = SPACE;
KIND_OF[0x2f] = SLASH;
KIND_OF[0x3d] = EQUALS;
KIND_OF[0x3e] = GREATER;

/** The first position from `start` on with a character of these kinds, or the end of the text. */
function find(html: string, start: number, kinds: number): number {
  let at = start;
  while (at < html.length && ((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) === 0) at++;
  return at;
}

/** The first position from `start` on without a character of these kinds. */
function skip(html: string, start: number, kinds: number): number {
  let at = start;
  while (((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) !== 0) at++;
  return at;
}

/** Holds the tag that was read last. One object serves all tags, because HTML has about one tag per 30 characters. */
export class TagReader {
  /** The name of the element in lower case. */
  name = '';
  /** The first `href` as written, with character references. Empty if the tag has no `href`. */
  href = '';
  /** The position of the `href` value, inside its quotes; -1 if the tag has no `href`. */
  hrefAt = -1;
  alt = '';
  style = '';
  /** Whether the tag has the attribute `hidden`. */
  hidden = false;
  selfClosing = false;

  /**
   * Reads the tag whose name begins at `nameAt`. A `>` within quotes does not end it. Each character is read once or twice,
   * regardless of the content of the tag.
   *
   * @returns the position after the `>`, or -1 if the text ends first: browsers drop such a tag
   */
  read(html: string, nameAt: number): number {
    let at = find(html, nameAt, SPACE | SLASH | GREATER);
    this.name = html.slice(nameAt, at).toLowerCase();
    this.href = this.alt = this.style = '';
    this.hrefAt = -1;
    this.hidden = false;
    for (;;) {
      at = skip(html, at, SPACE | SLASH);
      if (at === html.length) return -1;
      if (html[at] === '>') {
        this.selfClosing = html[at - 1] === '/';
        return at + 1;
      }
      const start = at;
      // A leading equals sign belongs to the name.
      at = find(html, at + 1, SPACE | SLASH | EQUALS | GREATER);
      const name = html.slice(start, at).toLowerCase();
      at = skip(html, at, SPACE);
      if (html[at] !== '=') {
        this.keepBare(name);
        continue;
      }
      at = skip(html, at + 1, SPACE);
      const quote = html[at];
      if (quote === '"' || quote === "'") {
        const valueEnd = html.indexOf(quote, at + 1);
        if (valueEnd === -1) return -1;
        this.keep(html, name, at + 1, valueEnd);
        at = valueEnd + 1;
      } else {
        const valueEnd = find(html, at, SPACE | GREATER);
        this.keep(html, name, at, valueEnd);
        at = valueEnd;
      }
    }
  }

  /** Called for each attribute that has no value. @param name in lower case */
  protected keepBare(name: string): void {
    if (name === 'hidden') this.hidden = true;
  }

  /** Called for each attribute that has a value, with the value's position. @param name in lower case */
  protected keep(html: string, name: string, start: number, end: number): void {
    if (name === 'href' && this.hrefAt === -1) {
      // Browsers use the first of several attributes with the same name, even if it is empty.
      this.hrefAt = start;
      this.href = html.slice(start, end);
    } else if (name === 'alt') this.alt ||= html.slice(start, end);
    else if (name === 'style') this.style ||= html.slice(start, end);
    else if (name === 'hidden') this.hidden = true;
  }
}

/** Reads a tag with all its attributes, for code that rewrites tags. The first of several attributes with the same name counts. */
export class FullTagReader extends TagReader {
  /** Values by lower-case name, as written: with character references, without quotes. */
  readonly attributes = new Map<string, string>();

  override read(html: string, nameAt: number): number {
    this.attributes.clear();
    return super.read(html, nameAt);
  }

  protected override keepBare(name: string): void {
    super.keepBare(name);
    if (!this.attributes.has(name)) this.attributes.set(name, '');
  }

  protected override keep(html: string, name: string, start: number, end: number): void {
    super.keep(html, name, start, end);
    if (!this.attributes.has(name)) this.attributes.set(name, html.slice(start, end));
  }
}
