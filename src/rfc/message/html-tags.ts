/** Tags as a browser splits them (HTML, section 13.2.5), as far as reading and rewriting mail needs them. */

const TAB = 0x09;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

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
    let at = endOfName(html, nameAt);
    this.name = html.slice(nameAt, at).toLowerCase();
    this.href = this.alt = this.style = '';
    this.hrefAt = -1;
    this.hidden = false;
    while (at < html.length) {
      const code = html.charCodeAt(at);
      if (code === GREATER) {
        this.selfClosing = html.charCodeAt(at - 1) === SLASH;
        return at + 1;
      }
      if (isSpace(code) || code === SLASH) {
        at++;
        continue;
      }
      const start = at;
      at = endOfAttributeName(html, at + 1);
      const end = at;
      at = skipSpace(html, at);
      if (html.charCodeAt(at) !== EQUALS) {
        if (end - start === 6 && isNamed(html, start, end, 'hidden')) this.hidden = true;
        continue;
      }
      at = skipSpace(html, at + 1);
      const quote = html.charCodeAt(at);
      let valueEnd: number;
      if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
        at++;
        valueEnd = html.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", at);
        if (valueEnd === -1) return -1;
        this.#keep(html, start, end, at, valueEnd);
        at = valueEnd + 1;
      } else {
        valueEnd = endOfValue(html, at);
        this.#keep(html, start, end, at, valueEnd);
        at = valueEnd;
      }
    }
    return -1;
  }

  #keep(html: string, start: number, end: number, valueStart: number, valueEnd: number): void {
    const length = end - start;
    if (length === 4 && isNamed(html, start, end, 'href')) {
      // When an attribute is there twice, a browser takes the first, also an empty one.
      if (this.hrefAt !== -1) return;
      this.hrefAt = valueStart;
      this.href = html.slice(valueStart, valueEnd);
    } else if (length === 3 && isNamed(html, start, end, 'alt'))
      this.alt ||= html.slice(valueStart, valueEnd);
    else if (length === 5 && isNamed(html, start, end, 'style'))
      this.style ||= html.slice(valueStart, valueEnd);
    else if (length === 6 && isNamed(html, start, end, 'hidden')) this.hidden = true;
  }
}

function isNamed(html: string, start: number, end: number, name: string): boolean {
  return html.slice(start, end).toLowerCase() === name;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === LF || code === CR || code === TAB || code === FF;
}

function skipSpace(html: string, start: number): number {
  let at = start;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

function endOfName(html: string, start: number): number {
  let at = start;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return at;
}

function endOfAttributeName(html: string, start: number): number {
  let at = start;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return at;
}

function endOfValue(html: string, start: number): number {
  let at = start;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === GREATER || isSpace(code)) break;
  }
  return at;
}
