/** Converts the stored text of `bodyStructureText` to the BODY or BODYSTRUCTURE that a client needs (RFC 9051, section 7.5.2). */

/** The form of a structure that a client needs. */
interface Shape {
  /** True for BODYSTRUCTURE, false for BODY. */
  hasExtension: boolean;
  /** True if the client has enabled IMAP4rev2 or UTF8=ACCEPT. */
  isUtf8: boolean;
}

/** Non-ASCII characters occur only in quoted strings. */
const BEYOND_ASCII = /[^\x00-\x7f]/;
const QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/y;
const ALL_QUOTED = new RegExp(QUOTED.source, 'g');
const ATOM = /[^\s()]+/y;

/** Converts a stored `ENVELOPE`. For clients that support only RFC 3501, non-ASCII strings become literals. */
export function envelopeFor(envelope: string, isUtf8: boolean): string {
  return isUtf8 || !BEYOND_ASCII.test(envelope) ? envelope : envelope.replace(ALL_QUOTED, asLiteral);
}

/** Converts a stored structure. @param stored the result of `bodyStructureText`; any other text throws */
export function structureFor(stored: string, shape: Shape): string {
  const isUnchanged = shape.hasExtension && (shape.isUtf8 || !NEEDS_OLD_FORM.test(stored));
  return isUnchanged ? stored : new StructureCutter(stored, shape).body();
}

/** Content that RFC 3501 writes differently: non-ASCII octets, parameters with a charset, and `message/global`. */
const NEEDS_OLD_FORM = /[^\x00-\x7f]|\*"|"global"/;

class StructureCutter {
  readonly #stored: string;
  readonly #shape: Shape;
  #at = 0;

  constructor(stored: string, shape: Shape) {
    this.#stored = stored;
    this.#shape = shape;
  }

  body(): string {
    this.#take('(');
    let text = this.#stored[this.#at] === '(' ? this.#multipart() : this.#single();
    // The rest of the list is extension data.
    while (this.#stored[this.#at] !== ')') {
      this.#take(' ');
      const value = this.#stored[this.#at] === '(' ? this.#list(true) : this.#value();
      if (this.#shape.hasExtension) text += ` ${value}`;
    }
    this.#at++;
    return `(${text})`;
  }

  #multipart(): string {
    let parts = '';
    while (this.#stored[this.#at] === '(') parts += this.body();
    return parts + this.#next();
  }

  #single(): string {
    const type = this.#value();
    const subtype = this.#next();
    // The next five fields are parameters, id, description, encoding and size.
    let text = `${type}${subtype}`;
    for (let field = 0; field < 5; field++) text += this.#next(true);
    if (type === '"message"' && (subtype === ' "rfc822"' || subtype === ' "global"')) {
      const envelope = this.#next();
      this.#take(' ');
      const inside = this.body();
      const lines = this.#next();
      const isMessage = this.#shape.isUtf8 || subtype === ' "rfc822"';
      return isMessage ? `${text}${envelope} ${inside}${lines}` : text;
    }
    return type === '"text"' ? text + this.#next() : text;
  }

  /** Copies the next value and the space before it. */
  #next(hasParameters = false): string {
    this.#take(' ');
    return ` ${this.#stored[this.#at] === '(' ? this.#list(hasParameters) : this.#value()}`;
  }

  /** Copies a list. @param hasParameters whether the list can have parameter names and values. In other lists, no string ends with `*` */
  #list(hasParameters: boolean): string {
    this.#take('(');
    let text = '';
    let isEncoded = false;
    while (this.#stored[this.#at] !== ')') {
      if (this.#stored[this.#at] === ' ') {
        this.#at++;
        text += ' ';
      }
      if (this.#stored[this.#at] === '(') {
        text += this.#list(hasParameters);
        continue;
      }
      const from = this.#at;
      const value = this.#value();
      text += isEncoded ? percentEncoded(this.#stored.slice(from, this.#at)) : value;
      isEncoded = hasParameters && !isEncoded && !this.#shape.isUtf8 && value.endsWith('*"');
    }
    this.#at++;
    return `(${text})`;
  }

  #value(): string {
    const pattern = this.#stored[this.#at] === '"' ? QUOTED : ATOM;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#stored);
    if (match === null) throw new Error(`expected a value at position ${this.#at} of a body structure`);
    this.#at = pattern.lastIndex;
    const [value, content] = match;
    return content === undefined || this.#shape.isUtf8 || !BEYOND_ASCII.test(value)
      ? value
      : asLiteral(value, content);
  }

  #take(character: string): void {
    if (this.#stored[this.#at] !== character)
      throw new Error(`expected ${character} at position ${this.#at} of a body structure`);
    this.#at++;
  }
}

/** Converts a quoted string to a literal if it has non-ASCII characters. */
function asLiteral(quoted: string, content: string): string {
  if (!BEYOND_ASCII.test(quoted)) return quoted;
  const text = content.replace(/\\(.)/g, '$1');
  return `{${Buffer.byteLength(text)}}\r\n${text}`;
}

/** Percent-encodes a quoted string (RFC 2231, section 4). */
function percentEncoded(quoted: string): string {
  const text = quoted.slice(1, -1).replace(/\\(.)/g, '$1');
  return `"UTF-8''${encodeURIComponent(text).replace(/['()*!~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}"`;
}
