/**
 * Parses Sieve scripts (RFC 5228, section 8) into commands. The parser knows the grammar, but no command and no test, so it also parses
 * scripts that use extensions.
 */

export type SieveArgument =
  /** @param name in lower case, without the colon */
  | { kind: 'tag'; name: string }
  | { kind: 'number'; value: number }
  /** A string is a list with one element. */
  | { kind: 'strings'; values: string[] };

interface Called {
  /** In lower case. */
  name: string;
  arguments: SieveArgument[];
  tests: SieveTest[];
  /** The line of the name, from 1. */
  line: number;
}

export type SieveTest = Called;

export interface SieveCommand extends Called {
  /** The commands between braces. Null if a semicolon ends the command. */
  block: SieveCommand[] | null;
  /** The last comment before the command that begins with `#`, without the `#`. Editors write the names of rules there. */
  comment: string | null;
}

export interface SieveSyntaxError {
  error: string;
  line: number;
}

/** Attack: a script that needs much time or memory, or that overflows the stack. */
const MAX_CHARACTERS = 256 * 1_024;
const MAX_TOKENS = 20_000;
const MAX_DEPTH = 32;
/** The largest number that every implementation must support is 2^31 - 1 (section 2.4.1). */
const MAX_NUMBER = 2 ** 40;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

type Token = { line: number; comment: string | null } & (
  | { kind: 'name' | 'tag'; text: string }
  | { kind: 'number'; value: number }
  | { kind: 'string'; text: string }
  | { kind: 'sign'; text: string }
  | { kind: 'end' }
);

class Fault extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** @returns the commands, or the first error */
export function parseSieve(text: string): { commands: SieveCommand[] } | SieveSyntaxError {
  try {
    if (text.length > MAX_CHARACTERS)
      throw new Fault(`the script has more than ${MAX_CHARACTERS} characters`, 1);
    const parser = new Parser(tokensOf(text));
    return { commands: parser.commands(0) };
  } catch (error) {
    if (error instanceof Fault) return { error: error.message, line: error.line };
    throw error;
  }
}

const SPACE = /[ \t\r\n]+/y;
const HASH_COMMENT = /#([^\r\n]*)/y;
const MULTI_LINE = /text:[ \t]*(?:#[^\r\n]*)?\r?\n/iy;
const NAME = /[a-z_][a-z0-9_]*/iy;
const TAG = /:([a-z_][a-z0-9_]*)/iy;
const NUMBER = /(\d+)([kmg]?)/iy;
const SIGN = /[[\](){},;]/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  let comment: string | null = null;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) skipTo(pattern.lastIndex);
    return found;
  };
  // Searched once for each line end, because a search for each token would take quadratic time in a script of one long line.
  let lineEnd = text.indexOf('\n');
  const skipTo = (end: number): void => {
    for (; lineEnd !== -1 && lineEnd < end; lineEnd = text.indexOf('\n', lineEnd + 1)) line++;
    at = end;
  };
  while (at < text.length) {
    const startLine = line;
    const where = { line: startLine, comment };
    if (take(SPACE) !== null) continue;
    const hash = take(HASH_COMMENT);
    if (hash !== null) {
      comment = hash[1] ?? '';
      continue;
    }
    if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) throw new Fault('the comment has no end', line);
      skipTo(end + 2);
      continue;
    }
    if (tokens.length >= MAX_TOKENS) throw new Fault('the script is too long', line);
    comment = null;
    if (text[at] === '"') {
      const end = endOfQuoted(text, at);
      if (end === null) throw new Fault('the string has no end', line);
      tokens.push({ kind: 'string', text: text.slice(at + 1, end - 1).replace(/\\([^])/g, '$1'), ...where });
      skipTo(end);
      continue;
    }
    if (take(MULTI_LINE) !== null) {
      const end = /^\.\r?$/m;
      const rest = text.slice(at);
      const found = end.exec(rest);
      if (found === null) throw new Fault('the text has no end: a line with only a dot', startLine);
      const lines = rest.slice(0, found.index).replace(/^\.\./gm, '.');
      tokens.push({ kind: 'string', text: lines.replace(/\r?\n$/, ''), ...where });
      skipTo(at + found.index + found[0].length);
      continue;
    }
    const tag = take(TAG);
    if (tag !== null) {
      tokens.push({ kind: 'tag', text: (tag[1] ?? '').toLowerCase(), ...where });
      continue;
    }
    const name = take(NAME);
    if (name !== null) {
      tokens.push({ kind: 'name', text: name[0].toLowerCase(), ...where });
      continue;
    }
    const number = take(NUMBER);
    if (number !== null) {
      const value = Number(number[1]) * (UNITS[(number[2] ?? '').toLowerCase()] ?? 1);
      if (value > MAX_NUMBER) throw new Fault(`the number ${number[0].slice(0, 20)} is too large`, startLine);
      tokens.push({ kind: 'number', value, ...where });
      continue;
    }
    const sign = take(SIGN);
    if (sign === null) throw new Fault(`the character ${JSON.stringify(text[at])} is not allowed here`, line);
    tokens.push({ kind: 'sign', text: sign[0], ...where });
  }
  tokens.push({ kind: 'end', line, comment: null });
  return tokens;
}

/** @returns the index after the closing quotation mark; null if there is none */
function endOfQuoted(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** @param depth the number of blocks around the commands */
  commands(depth: number): SieveCommand[] {
    const commands: SieveCommand[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end') {
        if (depth === 0) return commands;
        throw new Fault('a block has no end: } is missing', token.line);
      }
      if (depth > 0 && isSign(token, '}')) return commands;
      if (token.kind !== 'name') throw new Fault(`${shown(token)} is not a command`, token.line);
      commands.push(this.#command(token.text, token, depth));
    }
  }

  #command(name: string, { line, comment }: Token, depth: number): SieveCommand {
    const called = this.#called(name, line, depth);
    const token = this.#next();
    if (isSign(token, ';')) return { ...called, block: null, comment };
    if (isSign(token, '{')) return { ...called, block: this.commands(deeper(depth, token)), comment };
    throw new Fault(`${shown(token)} follows the command ${name}; expected was ; or {`, token.line);
  }

  #called(name: string, line: number, depth: number): Called {
    const args: SieveArgument[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'name') {
        this.#next();
        return {
          name,
          arguments: args,
          tests: [this.#called(token.text, token.line, deeper(depth, token))],
          line,
        };
      }
      if (isSign(token, '(')) {
        this.#next();
        return { name, arguments: args, tests: this.#testList(deeper(depth, token)), line };
      }
      const argument = this.#argument(token);
      if (argument === null) return { name, arguments: args, tests: [], line };
      args.push(argument);
    }
  }

  #testList(depth: number): SieveTest[] {
    return this.#list(')', () => {
      const token = this.#next();
      if (token.kind !== 'name') throw new Fault(`${shown(token)} is not a test`, token.line);
      return this.#called(token.text, token.line, depth);
    });
  }

  /** Reads elements with commas between them, up to the closing sign. */
  #list<Element>(close: string, read: () => Element): Element[] {
    const elements: Element[] = [];
    for (;;) {
      elements.push(read());
      const token = this.#next();
      if (isSign(token, close)) return elements;
      if (!isSign(token, ','))
        throw new Fault(`${shown(token)} is in a list; expected was , or ${close}`, token.line);
    }
  }

  #argument(token: Token): SieveArgument | null {
    if (token.kind === 'tag') {
      this.#next();
      return { kind: 'tag', name: token.text };
    }
    if (token.kind === 'number') {
      this.#next();
      return { kind: 'number', value: token.value };
    }
    if (token.kind === 'string') {
      this.#next();
      return { kind: 'strings', values: [token.text] };
    }
    if (!isSign(token, '[')) return null;
    this.#next();
    const values = this.#list(']', () => {
      const element = this.#next();
      if (element.kind !== 'string') throw new Fault(`${shown(element)} is not a string`, element.line);
      return element.text;
    });
    return { kind: 'strings', values };
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', line: 1, comment: null };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function deeper(depth: number, { line }: Token): number {
  if (depth >= MAX_DEPTH) throw new Fault(`blocks and tests are nested more than ${MAX_DEPTH} deep`, line);
  return depth + 1;
}

function isSign(token: Token, text: string): boolean {
  return token.kind === 'sign' && token.text === text;
}

function shown(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the script';
    case 'number':
      return String(token.value);
    case 'string':
      return 'a string';
    case 'tag':
      return `:${token.text}`;
    default:
      return token.text;
  }
}
