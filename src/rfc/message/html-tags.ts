/** Splits tags as a browser does (HTML, section 13.2.5), in enough detail to read and rewrite mail. */

/** Kinds of characters that end a part of a tag, as bits. */
const SPACE = 1;
const SLASH = 2;
const EQUALS = 4;
const GREATER = 8;
const KIND_OF = new Uint8Array(128);
for (const character of ' \t\n\f\r') KIND_OF[character.charCodeAt(0)] = SPACE;
KIND_OF[0x2f] = SLASH;
KIND_OF[0x3d] = EQUALS;
KIND_OF[0x3e] = GREATER;

/** The first position from `start` on with a character of one of `kinds`, or the end of the text. */
function find(html: string, start: number, kinds: number): number {
  let at = start;
  while (at < html.length && ((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) === 0) at++;
  return at;
}

/** The first position from `start` on without a character of any of `kinds`. */
function skip(html: string, start: number, kinds: number): number {
  let at = start;
  while (((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) !== 0) at++;
  return at;
}

/** Reads tags, and contains the parts of the last tag. Reused for all tags, because HTML has about one tag per 30 characters. */
export class TagReader {
  /** The name of the element in lower case. */
  name = '';
  /** The value of the first `href`, with character references. Empty if the tag has no `href`. */
  href = '';
  /** The position of the value of `href`, inside the quotes; -1 if the tag has no `href`. */
  hrefAt = -1;
  alt = '';
  style = '';
  /** Whether the tag has the attribute `hidden`. */
  hidden = false;
  selfClosing = false;

  /**
   * Reads the tag whose name begins at `nameAt`. A `>` in quotes does not end the tag. Each character is read once or twice, whatever the
   * tag contains.
   *
   * @returns the position after the `>`; -1 if the text ends before the tag, which browsers then drop
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
      // An equals sign at the start of a name belongs to the name.
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

  /** Called for each attribute without a value. @param name the name of the attribute in lower case */
  protected keepBare(name: string): void {
    if (name === 'hidden') this.hidden = true;
  }

  /** Called for each attribute with a value. @param name the name in lower case @param start the position of the value */
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

/** Reads a tag with all its attributes, for code that rewrites tags. Of several attributes with the same name, the first is used. */
export class FullTagReader extends TagReader {
  /** Values of attributes by lower-case name, with character references and without quotes. */
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
