/**
 * An address in a received header field (RFC 5322, sections 3.4 and 4.4), for display and search. Policy checks use `parseMailbox` instead.
 * Groups, comments, routes and common mistakes are accepted.
 */
export interface ListedAddress {
  /** The name without quotes, with encoded words not decoded. For an address without angle brackets, the last comment. */
  readonly name: string | null;
  /** The route in an obsolete address (RFC 5322, section 4.4), such as `@a,@b`. */
  readonly route: string | null;
  /** The local part as written, with quotes. If `domain` is null: the name of the group that begins, or null at the end of a group. */
  readonly localPart: string | null;
  /** The domain as written. Empty if the address has no domain. Null if the entry is the start or the end of a group. */
  readonly domain: string | null;
}

const GROUP_END: ListedAddress = { name: null, route: null, localPart: null, domain: null };

/** A run of text without quotes, brackets, commas and other delimiters. */
const ATOM = /[^\s"(),:;<>[\]]+/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
const LITERAL = /\[[^[\]]*\]?/y;
const MAX_COMMENT_DEPTH = 20;

/** Reads at most `most` entries, in time proportional to the length. Never throws. */
export function readAddressList(text: string, most: number): ListedAddress[] {
  const reader = new ListReader(text);
  while (reader.found.length < most && reader.step());
  if (reader.found.length < most) reader.finish();
  return reader.found;
}

class ListReader {
  readonly found: ListedAddress[] = [];
  readonly #text: string;
  readonly #lastColon: number;
  #at = 0;
  /** The words so far, with the spaces between them, for the case that they are a name. */
  #name = '';
  /** The same words as written and without the spaces, for the case that they are an address. */
  #bare = '';
  #comment = '';
  /** The content of the angle brackets. Null if there are no angle brackets. */
  #angle: string | null = null;
  #isInAngle = false;
  #isInGroup = false;
  #areQuotesClosed = true;

  constructor(text: string) {
    this.#text = text;
    this.#lastColon = text.lastIndexOf(':');
  }

  /** @returns false at the end of the text */
  step(): boolean {
    const text = this.#text;
    const character = text[this.#at];
    if (character === undefined) return false;
    switch (character) {
      case '"':
        return this.#takeQuoted();
      case '[':
        return this.#take(LITERAL);
      case '(':
        this.#skipComment();
        return true;
      case ',':
        // In angle brackets, a comma separates the domains of a route.
        if (this.#isInAngle && this.#angle?.startsWith('@') && this.#at < this.#lastColon) this.#angle += ',';
        else this.#flush();
        break;
      case '<':
        this.#angle = '';
        this.#isInAngle = true;
        break;
      case '>':
        this.#isInAngle = false;
        break;
      case ':':
        if (this.#isInAngle) this.#angle += ':';
        else this.#openGroup();
        break;
      case ';':
        this.#flush();
        this.#closeGroup();
        break;
      default:
        if (/[\s\])]/.test(character)) break;
        return this.#take(ATOM);
    }
    this.#at++;
    return true;
  }

  finish(): void {
    this.#flush();
    this.#closeGroup();
  }

  #takeQuoted(): boolean {
    QUOTED.lastIndex = this.#at;
    const match = this.#areQuotesClosed ? QUOTED.exec(this.#text) : null;
    if (match !== null) return this.#add(match[0], (match[1] as string).replace(/\\(.)/gs, '$1'));
    // The closing quote is missing, so skip the opening quote. Do not search again for each later quote, which would take quadratic time.
    this.#areQuotesClosed = false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    // The caller has checked that the pattern matches at the next character.
    const [whole] = pattern.exec(this.#text) as RegExpExecArray;
    return this.#add(whole, whole);
  }

  /** Adds a word. @param whole the text as written @param word the text as in a name, without quotes */
  #add(whole: string, word: string): true {
    const isBehindSpace = this.#at > 0 && /\s/.test(this.#text[this.#at - 1] as string);
    this.#at += whole.length;
    if (this.#isInAngle) {
      this.#angle += whole;
      return true;
    }
    this.#name += this.#name !== '' && isBehindSpace ? ` ${word}` : word;
    this.#bare += whole;
    return true;
  }

  #skipComment(): void {
    const text = this.#text;
    let depth = 0;
    let at = this.#at;
    for (; at < text.length; at++) {
      const character = text[at];
      if (character === '\\') at++;
      else if (character === '(') depth++;
      else if (character === ')' && --depth === 0) break;
      if (depth > MAX_COMMENT_DEPTH) break;
    }
    const comment = text
      .slice(this.#at + 1, at)
      .replace(/\\(.)/gs, '$1')
      .trim();
    if (comment !== '') this.#comment = comment;
    this.#at = at + 1;
  }

  #flush(): void {
    const spec = this.#angle ?? this.#bare;
    const hasAngle = this.#angle !== null;
    if (spec !== '' || (hasAngle && this.#name !== '')) {
      const colon = spec.startsWith('@') ? spec.indexOf(':') : -1;
      const address = colon === -1 ? spec : spec.slice(colon + 1);
      const at = address.lastIndexOf('@');
      this.found.push({
        name: (hasAngle ? this.#name : '') || this.#comment || null,
        route: colon === -1 ? null : spec.slice(0, colon),
        localPart: at === -1 ? (hasAngle ? address : this.#name) : address.slice(0, at),
        domain: at === -1 ? '' : address.slice(at + 1),
      });
    }
    this.#clear();
  }

  #openGroup(): void {
    const name = this.#name;
    this.#clear();
    if (this.#isInGroup || name === '') return;
    this.#isInGroup = true;
    this.found.push({ name: null, route: null, localPart: name, domain: null });
  }

  #closeGroup(): void {
    if (this.#isInGroup) this.found.push(GROUP_END);
    this.#isInGroup = false;
  }

  #clear(): void {
    this.#name = this.#bare = this.#comment = '';
    this.#angle = null;
    this.#isInAngle = false;
  }
}
