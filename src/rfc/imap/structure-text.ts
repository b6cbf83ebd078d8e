/** BODY and BODYSTRUCTURE of a client, from the one text that is kept (`bodyStructureText`; RFC 9051, section 7.5.2). */

/** What a client is told. */
interface Shape {
  /** BODYSTRUCTURE; else BODY. */
  hasExtension: boolean;
  /** The client has enabled IMAP4rev2 or UTF8=ACCEPT. */
  takesUtf8: boolean;
}

/** What is beyond ASCII stands in quoted strings only. */
const BEYOND_ASCII = /[^\x00-\x7f]/;
const QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/y;
const ALL_QUOTED = new RegExp(QUOTED.source, 'g');
const ATOM = /[^\s()]+/y;

/** The text of a kept `ENVELOPE`: for clients of RFC 3501 alone, strings beyond ASCII are literals. */
export function envelopeFor(envelope: string, takesUtf8: boolean): string {
  return takesUtf8 || !BEYOND_ASCII.test(envelope) ? envelope : envelope.replace(ALL_QUOTED, asLiteral);
}

/** @param kept as `bodyStructureText` made it; anything else throws */
export function structureFor(kept: string, shape: Shape): string {
  const isAsKept = shape.hasExtension && (shape.takesUtf8 || !NEEDS_OLD_FORM.test(kept));
  return isAsKept ? kept : new StructureCutter(kept, shape).body();
}

/** What RFC 3501 has otherwise: octets beyond ASCII, parameters with a charset, and `message/global`. */
const NEEDS_OLD_FORM = /[^\x00-\x7f]|\*"|"global"/;

class StructureCutter {
  readonly #kept: string;
  readonly #shape: Shape;
  #at = 0;

  constructor(kept: string, shape: Shape) {
    this.#kept = kept;
    this.#shape = shape;
  }

  body(): string {
    this.#take('(');
    let text = this.#kept[this.#at] === '(' ? this.#multipart() : this.#single();
    // What is left up to the end of the list is extension data.
    while (this.#kept[this.#at] !== ')') {
      this.#take(' ');
      const value = this.#kept[this.#at] === '(' ? this.#list(true) : this.#value();
      if (this.#shape.hasExtension) text += ` ${value}`;
    }
    this.#at++;
    return `(${text})`;
  }

  #multipart(): string {
    let parts = '';
    while (this.#kept[this.#at] === '(') parts += this.body();
    return parts + this.#next();
  }

  #single(): string {
    const type = this.#value();
    const subtype = this.#next();
    // Parameters, id, description, encoding and octets.
    let text = `${type}${subtype}`;
    for (let field = 0; field < 5; field++) text += this.#next(true);
    if (type === '"message"' && (subtype === ' "rfc822"' || subtype === ' "global"')) {
      const envelope = this.#next();
      this.#take(' ');
      const inside = this.body();
      const lines = this.#next();
      const isMessage = this.#shape.takesUtf8 || subtype === ' "rfc822"';
      return isMessage ? `${text}${envelope} ${inside}${lines}` : text;
    }
    return type === '"text"' ? text + this.#next() : text;
  }

  /** The next value, behind a space. */
  #next(hasParameters = false): string {
    this.#take(' ');
    return ` ${this.#kept[this.#at] === '(' ? this.#list(hasParameters) : this.#value()}`;
  }

  /** @param hasParameters strings in it are names and values in turn, or nothing that ends with a `*` */
  #list(hasParameters: boolean): string {
    this.#take('(');
    let text = '';
    let isEncoded = false;
    while (this.#kept[this.#at] !== ')') {
      if (this.#kept[this.#at] === ' ') {
        this.#at++;
        text += ' ';
      }
      if (this.#kept[this.#at] === '(') {
        text += this.#list(hasParameters);
        continue;
      }
      const from = this.#at;
      const value = this.#value();
      text += isEncoded ? percentEncoded(this.#kept.slice(from, this.#at)) : value;
      isEncoded = hasParameters && !isEncoded && !this.#shape.takesUtf8 && value.endsWith('*"');
    }
    this.#at++;
    return `(${text})`;
  }

  #value(): string {
    const pattern = this.#kept[this.#at] === '"' ? QUOTED : ATOM;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#kept);
    if (match === null) throw new Error(`no value at ${this.#at} of a body structure`);
    this.#at = pattern.lastIndex;
    const [value, content] = match;
    return content === undefined || this.#shape.takesUtf8 || !BEYOND_ASCII.test(value)
      ? value
      : asLiteral(value, content);
  }

  #take(character: string): void {
    if (this.#kept[this.#at] !== character)
      throw new Error(`no ${character} at ${this.#at} of a body structure`);
    this.#at++;
  }
}

/** A quoted string as a literal, where it has anything beyond ASCII. */
function asLiteral(quoted: string, content: string): string {
  if (!BEYOND_ASCII.test(quoted)) return quoted;
  const text = content.replace(/\\(.)/g, '$1');
  return `{${Buffer.byteLength(text)}}\r\n${text}`;
}

/** RFC 2231, section 4. */
function percentEncoded(quoted: string): string {
  const text = quoted.slice(1, -1).replace(/\\(.)/g, '$1');
  return `"UTF-8''${encodeURIComponent(text).replace(/['()*!~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}"`;
}
