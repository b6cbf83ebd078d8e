/** Splits styles into tokens as a browser does (CSS Syntax 3, section 4), in enough detail to find unsafe declarations. */

type TokenKind = 'space' | 'comment' | 'string' | 'name' | 'function' | 'url' | 'at' | 'other';

export interface StyleToken {
  kind: TokenKind;
  /** For a name, function, at-keyword, string or URL, the text with escapes decoded. For other tokens, the text as written. */
  text: string;
  /** The position after the token. */
  end: number;
}

const SPACE = /[ \t\n\r\f]/;
const NAME_START = /[a-z_\u0080-\uffff\\-]/i;
const NAME = /[a-z0-9_\u0080-\uffff-]/i;
const HEX = /^[0-9a-f]{1,6}/i;
/** Matches a name that needs no escapes. */
const PLAIN_NAME = /^-?[a-z_\u0080-\uffff][a-z0-9_\u0080-\uffff-]*$|^--[a-z0-9_\u0080-\uffff-]*$/i;

/** Reads the token at position `at`, which is before the end of the style. Reads each character once or twice. */
export function readToken(style: string, at: number): StyleToken {
  const character = style[at] as string;
  if (SPACE.test(character)) return readSpace(style, at);
  if (character === '/' && style[at + 1] === '*') {
    const close = style.indexOf('*/', at + 2);
    return { kind: 'comment', text: '', end: close === -1 ? style.length : close + 2 };
  }
  if (character === '"' || character === "'") return readString(style, at);
  if (character === '@') {
    const name = readName(style, at + 1);
    if (name.end > at + 1) return { kind: 'at', ...name };
  } else if (startsName(style, at)) return readNamed(style, at);
  return { kind: 'other', text: character, end: at + 1 };
}

/** Writes a name so that a browser reads exactly that name. */
export function writeName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  return Array.from(name, (character, at) =>
    NAME.test(character) && !(/[0-9]/.test(character) && at < 2) && !(character === '-' && at === 0)
      ? character
      : `\\${(character.codePointAt(0) as number).toString(16)} `,
  ).join('');
}

/** Writes a text as a string in double quotes, without characters that begin markup. */
export function writeString(text: string): string {
  return `"${text.replaceAll(/["\\<>\p{Cc}]/gu, (character) => `\\${(character.codePointAt(0) as number).toString(16)} `)}"`;
}

function startsName(style: string, at: number): boolean {
  const character = style[at] as string;
  if (character === '\\') return at + 1 < style.length && !/[\n\r\f]/.test(style[at + 1] as string);
  if (!NAME_START.test(character)) return false;
  // A single hyphen is a minus sign.
  return character !== '-' || NAME_START.test(style[at + 1] ?? ' ');
}

function readSpace(style: string, start: number): StyleToken {
  let at = start + 1;
  while (at < style.length && SPACE.test(style[at] as string)) at++;
  return { kind: 'space', text: style.slice(start, at), end: at };
}

function readNamed(style: string, start: number): StyleToken {
  const name = readName(style, start);
  if (style[name.end] !== '(') return { kind: 'name', ...name };
  if (name.text.toLowerCase() === 'url') {
    let at = name.end + 1;
    while (at < style.length && SPACE.test(style[at] as string)) at++;
    if (style[at] !== '"' && style[at] !== "'") return readBareUrl(style, at);
  }
  return { kind: 'function', text: name.text, end: name.end + 1 };
}

/** Reads a URL token without quotes, in which only escapes and the closing parenthesis have a special meaning. */
function readBareUrl(style: string, start: number): StyleToken {
  let text = '';
  let at = start;
  while (at < style.length && style[at] !== ')') {
    if (style[at] === '\\') {
      const escape = readEscape(style, at);
      text += escape.text;
      at = escape.end;
    } else text += style[at++] as string;
  }
  return { kind: 'url', text: text.trim(), end: Math.min(style.length, at + 1) };
}

/** Reads a string without its quotes, with escapes decoded. As in browsers, a line end terminates the string. */
function readString(style: string, start: number): StyleToken {
  const quote = style[start];
  let text = '';
  let at = start + 1;
  while (at < style.length && style[at] !== quote && !/[\n\r\f]/.test(style[at] as string)) {
    if (style[at] === '\\') {
      const escape = readEscape(style, at);
      text += escape.text;
      at = escape.end;
    } else text += style[at++] as string;
  }
  return { kind: 'string', text, end: style[at] === quote ? at + 1 : at };
}

function readName(style: string, start: number): { text: string; end: number } {
  let text = '';
  let at = start;
  while (at < style.length) {
    const character = style[at] as string;
    if (NAME.test(character)) {
      text += character;
      at++;
    } else if (character === '\\' && !/[\n\r\f]/.test(style[at + 1] ?? '\n')) {
      const escape = readEscape(style, at);
      text += escape.text;
      at = escape.end;
    } else break;
  }
  return { text, end: at };
}

/** @param at the position of a backslash */
function readEscape(style: string, at: number): { text: string; end: number } {
  const hex = HEX.exec(style.slice(at + 1, at + 7))?.[0];
  if (hex === undefined) {
    const character = String.fromCodePoint(style.codePointAt(at + 1) ?? 0xfffd);
    // A backslash before a line break removes the line break (CSS Syntax, section 4.3.5).
    if (/[\n\r\f]/.test(character))
      return { text: '', end: style.startsWith('\r\n', at + 1) ? at + 3 : at + 2 };
    return { text: character, end: Math.min(style.length, at + 1 + character.length) };
  }
  const code = Number.parseInt(hex, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  let end = at + 1 + hex.length;
  if (style.startsWith('\r\n', end)) end += 2;
  else if (end < style.length && SPACE.test(style[end] as string)) end++;
  return { text: isCharacter ? String.fromCodePoint(code) : '\ufffd', end };
}
