import type { CommandPiece } from './command-piece.ts';
import { readMailboxName } from './mailbox-name.ts';
import { utf8Of } from './octets.ts';

/** What is wrong with a command, in words for whoever wrote the client. */
export class CommandFault extends Error {
  /** NO: the command is well formed, but what it names cannot be. */
  readonly response: 'BAD' | 'NO';

  constructor(text: string, response: 'BAD' | 'NO' = 'BAD') {
    super(text);
    this.response = response;
  }
}

/** Stand for a literal and a literal8 in the text, where each other character is an octet. */
const LITERAL = '\u0100';
const LITERAL8 = '\u0101';

const SPACES = / +/y;
/** RFC 9051, section 9: ATOM-CHAR, ASTRING-CHAR, list-char. */
const ATOM = /[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+/y;
const ASTRING = /[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
const LIST_PATTERN = /[!#$%&'*+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+/y;
const QUOTED = /"([^"\\\r\n\0\u0100\u0101]*(?:\\["\\][^"\\\r\n\0\u0100\u0101]*)*)"/y;
const DIGITS = /\d+/y;
const WORD = /[A-Za-z0-9.-]+/y;

const MAX_32 = 4_294_967_295;
const MAX_63 = 9_223_372_036_854_775_807n;

/**
 * Goes through the arguments of a command. What it needs and does not find it throws as a `CommandFault`; nobody but `parseCommand` catches it.
 * More than one space stands for one, and one at the end for none: clients send both, and Dovecot takes them.
 */
export class CommandCursor {
  /** The command's name as it stands in faults. */
  command = 'A command';
  readonly utf8: boolean;
  readonly #text: string;
  readonly #literals: Buffer[] = [];
  #at = 0;
  #literalAt = 0;

  /** @param utf8 names of mailboxes are UTF-8, not modified UTF-7 */
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

  /** Says that the command needs something. */
  needs(what: string): never {
    throw new CommandFault(`${this.command} needs ${what}`);
  }

  /** Takes what a sticky expression finds here. */
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

  /** The next character; empty at the end. */
  next(): string {
    return this.#text.charAt(this.#at);
  }

  /** Takes one character, or several, if they are next. */
  take(characters: string): boolean {
    if (!this.nextIs(characters)) return false;
    this.#at += characters.length;
    return true;
  }

  /** Takes the space before something that must follow. */
  space(what: string): void {
    // A client may forget it between two lists: RFC 5819, section 3, does so itself.
    const isAfterList = this.#text[this.#at - 1] === ')';
    if ((this.match(SPACES) === null && !isAfterList) || this.#at === this.#text.length) this.needs(what);
  }

  /** Takes the space before something that may follow. @returns whether anything does */
  more(): boolean {
    const start = this.#at;
    if (this.match(SPACES) !== null && this.#at < this.#text.length) return true;
    this.#at = start;
    return false;
  }

  end(): void {
    this.match(SPACES);
    if (this.#at < this.#text.length) this.fault(`${this.command} has something behind its arguments`);
  }

  atom(what: string): string {
    return this.match(ATOM) ?? this.needs(what);
  }

  /** A word of the protocol, in upper case. */
  word(what: string): string {
    return this.match(WORD)?.toUpperCase() ?? this.needs(what);
  }

  /** Looks at the next word without taking it. */
  peekWord(): string {
    const start = this.#at;
    const word = this.match(WORD) ?? '';
    this.#at = start;
    return word.toUpperCase();
  }

  /** `number`: 32 bits. */
  number(what: string): number {
    const digits = this.match(DIGITS) ?? this.needs(what);
    const value = Number(digits);
    return value <= MAX_32 ? value : this.fault(`${this.command} has a number above ${MAX_32}`);
  }

  /** `nz-number`. */
  positive(what: string): number {
    const value = this.number(what);
    return value > 0 ? value : this.needs(what);
  }

  /** `number64`: 63 bits. Above 2^53 it is only about what the client wrote. */
  number64(what: string): number {
    const digits = this.match(DIGITS) ?? this.needs(what);
    const LONGEST = 40;
    if (digits.length > LONGEST || BigInt(digits) > MAX_63)
      this.fault(`${this.command} has a number above ${MAX_63}`);
    return Number(digits);
  }

  /** `astring`, an octet in each character. */
  octets(what: string): string {
    return this.match(ASTRING) ?? this.string() ?? this.needs(what);
  }

  /** `astring` as UTF-8. */
  text(what: string): string {
    return utf8Of(this.octets(what)) ?? this.fault(`${this.command} has ${what} that is not UTF-8`);
  }

  /** `string`, an octet in each character; null where there is none. */
  string(): string | null {
    const quoted = this.match(QUOTED);
    if (quoted !== null) return quoted.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
    if (!this.take(LITERAL)) return null;
    const text = this.#nextLiteral().toString('latin1');
    return text.includes('\0') ? this.fault(`${this.command} has a string with a NUL in it`) : text;
  }

  /** The bytes of a literal or literal8; null where there is none. A NUL is in the latter alone (RFC 9051, section 4.3.1). */
  literal(): Buffer | null {
    if (this.take(LITERAL8)) return this.#nextLiteral();
    if (!this.take(LITERAL)) return null;
    const bytes = this.#nextLiteral();
    return bytes.includes(0)
      ? this.fault('A NUL can only be in a literal8: its length has a ~ before it')
      : bytes;
  }

  /** `mailbox`, decoded. */
  mailbox(what = 'the name of a mailbox'): string {
    const name = readMailboxName(this.octets(what), this.utf8);
    if (name !== null) return name;
    const form = this.utf8 ? 'UTF-8' : 'modified UTF-7 (RFC 3501, section 5.1.3)';
    // Octets that are no UTF-8 are no string of it (RFC 6855, section 3).
    const response = this.utf8 ? 'BAD' : 'NO';
    throw new CommandFault(`${this.command} has the name of a mailbox that is not ${form}`, response);
  }

  /** `list-mailbox`, an octet in each character. */
  pattern(): string {
    return this.match(LIST_PATTERN) ?? this.string() ?? this.needs('a pattern, such as *');
  }

  /** A list in parentheses, which may be empty. */
  list<T>(what: string, most: number, read: () => T): T[] {
    if (!this.take('(')) this.needs(`${what} in parentheses`);
    this.match(SPACES);
    const items: T[] = [];
    while (!this.take(')')) {
      if (items.length === most) this.fault(`${this.command} has more than ${most} of ${what}`);
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
