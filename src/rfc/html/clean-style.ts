/**
 * Styles of mail, written anew from what a browser would read in them (escapes undone), without what they would load from elsewhere or put over
 * the rest. Declarations and blocks that are not understood are left out whole, so that a browser sees no more of them than was seen here.
 */
import { readToken, writeName, writeString } from './style-tokens.ts';

export type Theme = 'light' | 'dark';

/** The address of an image as it is to stand there; null: it is not loaded. */
type ImageRule = (url: string) => string | null;

export interface StyleRules {
  /** That the queries for it are answered with, whatever the page around has. */
  theme: Theme;
  image: ImageRule;
  /** Called where a style says something of colours. */
  onColour?: () => void;
}

/** Rules with rules in them. All others go: they load, make fonts, move things, or reach beyond the message. */
const AT_RULES = new Set(['media', 'supports']);
/** Functions that load, run, or take URLs for plain strings. */
const FUNCTIONS = new Set(
  'src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element paint expression attr -webkit-canvas'.split(
    ' ',
  ),
);
/** Properties that run something, move by themselves, or have a say over those that are important. */
const PROPERTIES =
  /^(?:behavior|-ms-behavior|-moz-binding|(?:-\w+-)?(?:animation|transition)(?:-.*)?|-webkit-user-modify|src)$/;
/** Attack: what floats over all else covers what is said of the message. */
const POSITION = /^\s*(?:static|relative|initial|inherit|unset)\s*(?:!\s*important\s*)?$/i;
const COLOURS = /^(?:color|background|background-color|background-image)$/;
const NO_COLOUR =
  /^\s*(?:inherit|initial|unset|transparent|none|currentcolor|windowtext|auto)\s*(?:!\s*important\s*)?$/i;
const SCHEME_QUERY = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;
/** Deeper ones are left out. */
const MAX_DEPTH = 10;

/** What stands between two of `;`, `{` and `}`, as it is written out. */
interface Piece {
  text: string;
  /** Nothing but space so far. */
  isBlank: boolean;
  /** The first name or at-keyword in it. */
  first: string | null;
  /** Behind the colon of a declaration; -1: there is none. */
  valueAt: number;
  open: number;
  isRule: boolean;
  isRefused: boolean;
}

function newPiece(): Piece {
  return { text: '', isBlank: true, first: null, valueAt: -1, open: 0, isRule: false, isRefused: false };
}

/** A style sheet. In time proportional to it. */
export function cleanStyle(style: string, rules: StyleRules): string {
  return clean(style, rules, true);
}

/** The value of an attribute `style`. */
export function cleanDeclarations(style: string, rules: StyleRules): string {
  return clean(style, rules, false);
}

function clean(style: string, rules: StyleRules, isSheet: boolean): string {
  const shown: string[] = [];
  let depth = 0;
  /** How deep it is in a block that is left out. */
  let skipped = 0;
  let piece = newPiece();
  let at = 0;
  while (at < style.length) {
    const mark = style[at];
    if (mark === '{' || mark === '}' || mark === ';') {
      at++;
      if (skipped > 0) {
        if (mark !== ';') skipped += mark === '{' ? 1 : -1;
        piece = newPiece();
        continue;
      }
      if (mark === '{') {
        if (isSheet && depth < MAX_DEPTH && isShownBlock(piece)) {
          shown.push(answerQueries(piece, rules.theme), '{');
          depth++;
        } else skipped = 1;
      } else {
        const isShown = (depth > 0 || !isSheet) && isShownDeclaration(piece, rules);
        shown.push(isShown ? piece.text : blanksOf(piece));
        if (mark === ';') shown.push(isShown ? ';' : '');
        else if (depth > 0) {
          shown.push('}');
          depth--;
        }
      }
      piece = newPiece();
      continue;
    }
    at = skipped > 0 ? readToken(style, at).end : addToken(style, at, piece, rules);
  }
  if (skipped === 0 && (depth > 0 || !isSheet) && isShownDeclaration(piece, rules)) shown.push(piece.text);
  return shown.join('') + '}'.repeat(depth);
}

/** Adds the next token. @returns the position behind it */
function addToken(style: string, at: number, piece: Piece, rules: StyleRules): number {
  // The begin and end of a comment of HTML, for browsers of the last century.
  if (style.startsWith('<!--', at)) return at + 4;
  if (style.startsWith('-->', at)) return at + 3;
  const token = readToken(style, at);
  const isFirst = piece.isBlank;
  if (token.kind !== 'space' && token.kind !== 'comment') piece.isBlank = false;
  switch (token.kind) {
    case 'space':
      piece.text += token.text;
      break;
    case 'comment':
      // Not nothing: what stands around it are two names.
      if (!piece.isBlank) piece.text += '/**/';
      break;
    case 'string':
      piece.text += writeString(token.text);
      break;
    case 'url':
      piece.text += urlOf(token.text, rules.image);
      break;
    case 'at':
      if (isFirst) {
        piece.first = token.text.toLowerCase();
        piece.isRule = true;
      }
      piece.text += `@${writeName(token.text)}`;
      break;
    case 'name':
      if (isFirst) piece.first = token.text.toLowerCase();
      piece.text += writeName(token.text);
      break;
    case 'function': {
      const name = token.text.toLowerCase();
      if (name === 'url') {
        const quoted = readQuotedUrl(style, token.end);
        piece.text += urlOf(quoted.url, rules.image);
        return quoted.end;
      }
      if (FUNCTIONS.has(name)) piece.isRefused = true;
      piece.open++;
      piece.text += `${writeName(token.text)}(`;
      break;
    }
    case 'other':
      addSign(token.text, piece);
  }
  return token.end;
}

function addSign(sign: string, piece: Piece): void {
  if (sign === '(' || sign === '[') piece.open++;
  else if (sign === ')' || sign === ']') piece.open--;
  else if (sign === ':' && piece.valueAt === -1 && piece.open === 0) piece.valueAt = piece.text.length + 1;
  if (piece.open < 0) piece.isRefused = true;
  // A lone one is read as `less than` in a query, and begins no tag where a space follows.
  piece.text += sign === '<' ? '< ' : sign === '\\' || sign === '\0' ? '' : sign;
}

/** @param at behind `url(` where a quote follows, with space before it */
function readQuotedUrl(style: string, start: number): { url: string; end: number } {
  let url = '';
  let at = start;
  while (at < style.length && style[at] !== ')') {
    const token = readToken(style, at);
    if (token.kind === 'string') url ||= token.text;
    at = token.end;
  }
  return { url, end: Math.min(style.length, at + 1) };
}

function urlOf(url: string, image: ImageRule): string {
  const shown = image(url.trim());
  return shown === null ? 'none' : `url(${writeString(shown)})`;
}

function isShownBlock({ first, isBlank, open, isRule, isRefused }: Piece): boolean {
  if (isRefused || open !== 0 || isBlank) return false;
  return !isRule || AT_RULES.has(first ?? '');
}

function isShownDeclaration(
  { first, text, valueAt, open, isRule, isRefused }: Piece,
  rules: StyleRules,
): boolean {
  if (isRefused || isRule || open !== 0 || first === null || valueAt === -1) return false;
  // Attack: `*position: fixed`, and what else some browser takes for a name.
  if (
    text
      .slice(0, valueAt - 1)
      .trim()
      .toLowerCase() !== writeName(first)
  )
    return false;
  const value = text.slice(valueAt);
  if (PROPERTIES.test(first)) return false;
  if (first === 'position' && !POSITION.test(value)) return false;
  if (COLOURS.test(first) && !NO_COLOUR.test(value)) rules.onColour?.();
  return true;
}

function blanksOf({ text }: Piece): string {
  return /^\s*/.exec(text)?.[0] ?? '';
}

function answerQueries({ text, isRule }: Piece, theme: Theme): string {
  if (!isRule) return text;
  return text.replace(SCHEME_QUERY, (_, asked: string) =>
    asked.toLowerCase() === theme ? '(min-width: 0px)' : '(max-width: 0px)',
  );
}
