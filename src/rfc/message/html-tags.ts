/** Tags as a browser splits them (HTML, section 13.2.5), as far as reading and rewriting mail needs them. */

/** What ends a part of a tag, a bit for each kind. */
const SPACE = 1;
const SLASH = 2;
const EQUALS = 4;
const GREATER = 8;
const KIND_OF = new Uint8Array(128);
for (const character of ' \t\n\f\r') KIND_OF[character.charCodeAt(0)] = SPACE;
KIND_OF[0x2f] = SLASH;
KIND_OF[0x3d] = EQUALS;
KIND_OF[0x3e] = GREATER;

/** The first position from `start` on with a character of these kinds; the end where there is none. */
function find(html: string, start: number, kinds: number): number {
  let at = start;
  while (at < html.length && ((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) === 0) at++;
  return at;
}

/** The first position from `start` on without one. */
function skip(html: string, start: number, kinds: number): number {
  let at = start;
  while (((KIND_OF[html.charCodeAt(at)] ?? 0) & kinds) !== 0) at++;
  return at;
}

/** The tag that was read last. All tags share one object: HTML has a tag for each 30 characters. */
export class TagReader {
  /** Lower-case. */
  name = '';
  /** As written, with character references; the first one of several, or empty. */
  href = '';
  /** Its position, without quotes; -1 when it is missing. */
  hrefAt = -1;
  alt = '';
  style = '';
  /** The attribute `hidden`. */
  hidden = false;
  selfClosing = false;

  /**
   * Reads the tag whose name begins at a position. A `>` within quotes does not end it. Each character is looked at
   * once or twice, whatever the tag is made of.
   *
   * @returns the position after its `>`, or -1 where the text ends first: a browser drops such a tag
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
      // An equals sign that begins a name is a part of it.
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

  /** Called for each attribute without a value. @param name in lower case */
  protected keepBare(name: string): void {
    if (name === 'hidden') this.hidden = true;
  }

  /** Called for each attribute with a value, whose position it gets. @param name in lower case */
  protected keep(html: string, name: string, start: number, end: number): void {
    if (name === 'href' && this.hrefAt === -1) {
      // When an attribute is there twice, a browser takes the first, also an empty one.
      this.hrefAt = start;
      this.href = html.slice(start, end);
    } else if (name === 'alt') this.alt ||= html.slice(start, end);
    else if (name === 'style') this.style ||= html.slice(start, end);
    else if (name === 'hidden') this.hidden = true;
  }
}

/** A tag with all of its attributes, for who writes tags anew. Where one is there twice, the first counts. */
export class FullTagReader extends TagReader {
  /** By their names in lower case, as written: with character references, without quotes. */
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
