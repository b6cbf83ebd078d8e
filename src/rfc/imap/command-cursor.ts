import type { CommandPiece } from './command-piece.ts';
import { readMailboxName } from './mailbox-name.ts';
import { utf8Of } from './octets.ts';

/** A fault in a command, with a description for the developer of the client. */
export class CommandFault extends Error {
  /** BAD for an invalid command. NO for a valid command with a name that cannot exist. */
  readonly response: 'BAD' | 'NO';

  constructor(text: string, response: 'BAD' | 'NO' = 'BAD') {
    super(text);
    this.response = response;
  }
}

/** Placeholders for a literal and a literal8 in the text of a command. Every other character is an octet. */
const LITERAL = '\u0100';
const LITERAL8 = '\u0101';

const SPACES = / +/y;
/** The characters of ATOM-CHAR, ASTRING-CHAR and list-char (RFC 9051, section 9). */
const ATOM = /[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+/y;
const ASTRING = /[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
const LIST_PATTERN = /[!#$%&'*+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
const QUOTED = /"([^"\\\r\n\0\u0100\u0101]*(?:\\["\\][^"\\\r\n\0\u0100\u0101]*)*)"/y;
const DIGITS = /\d+/y;
const WORD = /[A-Za-z0-9.-]+/y;

const MAX_32 = 4_294_967_295;
const MAX_63 = 9_223_372_036_854_775_807n;

/**
 * Parses the arguments of a command, one after the other. Throws a `CommandFault` for a missing or invalid argument; only `parseCommand`
 * catches the fault. Repeated spaces count as one space, and trailing spaces are ignored, as in Dovecot, because clients send such spaces.
 */
export class CommandCursor {
  /** The name of the command in error messages. */
  command = 'A command';
  readonly utf8: boolean;
  readonly #text: string;
  readonly #literals: Buffer[] = [];
  #at = 0;
  #literalAt = 0;

  /** @param utf8 whether mailbox names are UTF-8 instead of modified UTF-7 */
  constructor(pieces: readonly CommandPiece[], utf8: boolean) {
    this.utf8 = utf8;
    let text = '';
    for (const piece of pieces) {
      text += piece.text.toString('latin1');
      if (piece.literal === null) continue;
      text += piece.literal.isBinary ? LITERAL8 : LITERAL;
      this.#literals.push(piece.literal.bytes);
    }
    this.#text = text;
  }

  fault(text: string): never {
    throw new CommandFault(text);
  }

  /** Throws a fault that names the missing argument. @param what a description of the argument */
  needs(what: string): never {
    throw new CommandFault(`${this.command} needs ${what}`);
  }

  /** Consumes the match of a sticky expression at the current position. @returns the match; null if there is none */
  match(expression: RegExp): string | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found === null) return null;
    this.#at += found[0].length;
    return found[0];
  }

  nextIs(character: string): boolean {
    return this.#text.startsWith(character, this.#at);
  }

  /** The next character, or an empty string at the end. */
  next(): string {
    return this.#text.charAt(this.#at);
  }

  /** Consumes `characters` if they are next. @returns whether they were next */
  take(characters: string): boolean {
    if (!this.nextIs(characters)) return false;
    this.#at += characters.length;
    return true;
  }

  /** Consumes the space before a required argument. @param what a description of the argument */
  space(what: string): void {
    // Some clients omit the space between two lists, as in an example of RFC 5819, section 3.
    const isAfterList = this.#text[this.#at - 1] === ')';
    if ((this.match(SPACES) === null && !isAfterList) || this.#at === this.#text.length) this.needs(what);
  }

  /** Consumes the space before an optional argument. @returns whether an argument follows */
  more(): boolean {
    const start = this.#at;
    if (this.match(SPACES) !== null && this.#at < this.#text.length) return true;
    this.#at = start;
    return false;
  }

  end(): void {
    this.match(SPACES);
    if (this.#at < this.#text.length) this.fault(`${this.command} has unexpected text after its arguments`);
  }

  atom(what: string): string {
    return this.match(ATOM) ?? this.needs(what);
  }

  /** Consumes a protocol keyword. @returns the keyword in upper case */
  word(what: string): string {
    return this.match(WORD)?.toUpperCase() ?? this.needs(what);
  }

  /** Returns the next keyword without consuming it. */
  peekWord(): string {
    const start = this.#at;
    const word = this.match(WORD) ?? '';
    this.#at = start;
    return word.toUpperCase();
  }

  /** Consumes a `number` of up to 32 bits. */
  number(what: string): number {
    const digits = this.match(DIGITS) ?? this.needs(what);
    const value = Number(digits);
    return value <= MAX_32 ? value : this.fault(`${this.command} has a number above ${MAX_32}`);
  }

  /** Consumes an `nz-number`, which is positive. */
  positive(what: string): number {
    const value = this.number(what);
    return value > 0 ? value : this.needs(what);
  }

  /** Consumes a `number64` of up to 63 bits. Numbers above 2^53 lose precision. */
  number64(what: string): number {
    const digits = this.match(DIGITS) ?? this.needs(what);
    const LONGEST = 40;
    if (digits.length > LONGEST || BigInt(digits) > MAX_63)
      this.fault(`${this.command} has a number above ${MAX_63}`);
    return Number(digits);
  }

  /** Consumes an `astring`. @returns one octet per character */
  octets(what: string): string {
    return this.match(ASTRING) ?? this.string() ?? this.needs(what);
  }

  /** Consumes an `astring`, and decodes it as UTF-8. */
  text(what: string): string {
    return utf8Of(this.octets(what)) ?? this.fault(`${this.command} has ${what} that is not UTF-8`);
  }

  /** Consumes a `string`. @returns one octet per character; null if the next argument is not a string */
  string(): string | null {
    const quoted = this.match(QUOTED);
    if (quoted !== null) return quoted.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
    if (!this.take(LITERAL)) return null;
    const text = this.#nextLiteral().toString('latin1');
    return text.includes('\0') ? this.fault(`${this.command} has a NUL in a string`) : text;
  }

  /** Consumes a literal or literal8; null if there is none. Only a literal8 may contain a NUL (RFC 9051, section 4.3.1). */
  literal(): Buffer | null {
    if (this.take(LITERAL8)) return this.#nextLiteral();
    if (!this.take(LITERAL)) return null;
    const bytes = this.#nextLiteral();
    return bytes.includes(0)
      ? this.fault('A NUL is only allowed in a literal8, whose length is preceded by a ~')
      : bytes;
  }

  /** Consumes a `mailbox`. @returns the decoded name */
  mailbox(what = 'the name of a mailbox'): string {
    const name = readMailboxName(this.octets(what), this.utf8);
    if (name !== null) return name;
    const form = this.utf8 ? 'UTF-8' : 'modified UTF-7 (RFC 3501, section 5.1.3)';
    // In UTF-8 sessions, invalid UTF-8 is a syntax error (RFC 6855, section 3).
    const response = this.utf8 ? 'BAD' : 'NO';
    throw new CommandFault(`${this.command} has a mailbox name that is not ${form}`, response);
  }

  /** Consumes a `list-mailbox`. @returns one octet per character */
  pattern(): string {
    return this.match(LIST_PATTERN) ?? this.string() ?? this.needs('a pattern, such as *');
  }

  /** Consumes a list in parentheses, which may be empty. @param read consumes an element */
  list<T>(what: string, most: number, read: () => T): T[] {
    if (!this.take('(')) this.needs(`${what} in parentheses`);
    this.match(SPACES);
    const items: T[] = [];
    while (!this.take(')')) {
      if (items.length === most)
        this.fault(`${this.command} has a list with more than ${most} entries: ${what}`);
      items.push(read());
      if (this.match(SPACES) === null && !this.nextIs(')'))
        this.fault(`${this.command} has a list that is not closed: ${what}`);
    }
    return items;
  }

  #nextLiteral(): Buffer {
    return this.#literals[this.#literalAt++] as Buffer;
  }
}
