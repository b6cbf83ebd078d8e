/**
 * Rewrites the styles of a message token by token, with escapes decoded as in a browser. Removes everything that loads remote content or
 * covers the rest of the page. Unknown forms of declarations and blocks are removed completely, so that a browser never applies anything
 * that this file has not checked.
 */
import { withoutUnseen } from '../without-unseen.ts';
import { isHeavy } from './heavy-values.ts';
import { readToken, writeName, writeString } from './style-tokens.ts';

export type Theme = 'light' | 'dark';

/** Returns the URL to write for an image; null to remove the image. */
type ImageRule = (url: string) => string | null;

export interface StyleRules {
  /** The theme for which `prefers-color-scheme` queries are true, whatever the theme of the surrounding page is. */
  theme: Theme;
  image: ImageRule;
  /** Called if a style sets a color. */
  onColor?: () => void;
  /** Returns the value to write for a declaration that passes all rules. @param property in lower case */
  mapColors?: ((property: string, value: string) => string) | undefined;
  /** Whether a selector is cheap enough for a browser to match. Called once for each block. Default: true. */
  allowsSelector?: ((selector: Selector) => boolean) | undefined;
  /** Whether to keep a declaration. Called for declarations that pass all other rules. Default: true. @param property in lower case */
  keepsDeclaration?: ((property: string, value: string) => boolean) | undefined;
}

/** The features that determine the cost of a block's selector. */
export interface Selector {
  length: number;
  /** The number of selectors, separated by commas. */
  count: number;
  /** Whether a selector has a descendant combinator. */
  descends: boolean;
  /** Whether a selector matches values of attributes. */
  readsAttributes: boolean;
}

/** Allowed at-rules, which contain rules. Other at-rules load content, define fonts, animate, or affect the page around the message. */
const AT_RULES = new Set(['media', 'supports']);
/** Forbidden functions, which load content, run code, or accept URLs as plain strings. */
const FUNCTIONS = new Set(
  'src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element paint expression attr -webkit-canvas'.split(
    ' ',
  ),
);
/**
 * Allowed selector functions, which depend only on an element and its siblings. Attack: `:has()` and `of` can freeze a page for minutes.
 */
const SELECTOR_FUNCTIONS = new Set(
  'not is where nth-child nth-last-child nth-of-type nth-last-of-type lang'.split(' '),
);
/** Forbidden properties, which run code, animate, override important declarations, change the pointer, or create any number of columns. */
const PROPERTIES =
  /^(?:behavior|-ms-behavior|-moz-binding|(?:-\w+-)?(?:animation|transition)(?:-.*)?|-webkit-user-modify|src|cursor|(?:-\w+-)?(?:columns|column-(?:count|width|span|fill)))$/;
/** Text in reverse direction. Attack: reversed text makes an address look like another address. */
const OVERRIDES = /[\u202d\u202e]|\b(?:bidi|isolate)-override\b/i;
/** Generated text that a reader could mistake for the target of a link. */
const LINK_TARGET = /[\p{L}\p{N}]\.\p{L}|^\.\p{L}|\p{L}\.$|:\/\//u;
/** The allowed values of `position`. Attack: positioned content covers warnings that the page shows about the message. */
const POSITION = /^\s*(?:static|relative|initial|inherit|unset)\s*(?:!\s*important\s*)?$/i;
const COLORS = /^(?:color|background|background-color|background-image)$/;
const NO_COLOR =
  /^\s*(?:inherit|initial|unset|transparent|none|currentcolor|windowtext|auto)\s*(?:!\s*important\s*)?$/i;
const SCHEME_QUERY = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;
/** Maximum nesting depth of blocks. Deeper blocks are removed. */
const MAX_DEPTH = 10;
/** The maximum length of a string, because a style can add the string to every element. */
const MAX_STRING = 100;
const MAX_CONTENT = 50;
/** A reference to a value that is defined elsewhere in the style, so that its length cannot be checked here. */
const INDIRECT = /var\(|counters\(/i;

/** The output for the tokens from one `;`, `{` or `}` to the next. */
interface Piece {
  text: string;
  /** True while the piece contains only space. */
  isBlank: boolean;
  /** The first name or at-keyword of the piece. */
  first: string | null;
  /** The position after the colon of a declaration; -1 if the piece has no colon. */
  valueAt: number;
  open: number;
  isRule: boolean;
  isRefused: boolean;
  /** Whether the piece cannot be a selector that is kept. It may still be a declaration. */
  isNoSelector: boolean;
  commas: number;
  squares: number;
  /** The length of the longest string in the piece. */
  string: number;
  /** The first strings of the piece, concatenated. `content` would show this text. */
  generatedText: string;
  /** The number of characters in URLs. */
  urls: number;
}

function newPiece(): Piece {
  return {
    text: '',
    isBlank: true,
    first: null,
    valueAt: -1,
    open: 0,
    isRule: false,
    isRefused: false,
    isNoSelector: false,
    commas: 0,
    squares: 0,
    string: 0,
    generatedText: '',
    urls: 0,
  };
}

/** Cleans a style sheet, in time proportional to its length. */
export function cleanStyle(style: string, rules: StyleRules): string {
  return cleanTwice(style, rules, true);
}

/** Cleans the value of a `style` attribute. */
export function cleanDeclarations(style: string, rules: StyleRules): string {
  return cleanTwice(style, rules, false);
}

/**
 * Cleans a style, then cleans the result to verify it, because the browser will read the result. Attack: after the first pass removes text,
 * the tokens before and after the text join to form a function or a URL. If the second pass finds a URL that the first pass did not write,
 * or would remove anything, the whole style is removed.
 */
function cleanTwice(style: string, rules: StyleRules, isSheet: boolean): string {
  const written = new Set<string>();
  const image = (url: string): string | null => {
    const shown = rules.image(url);
    if (shown !== null) written.add(shown.trim());
    return shown;
  };
  // A NUL becomes U+FFFD, as in browsers (CSS Syntax 3, section 3.3).
  const first = clean(style.replaceAll('\0', '\ufffd'), { ...rules, image }, isSheet);
  const second = clean(
    first,
    { theme: rules.theme, image: (url) => (written.has(url) ? url : null) },
    isSheet,
  );
  return second.trimEnd() === first.trimEnd() ? first : '';
}

function clean(style: string, rules: StyleRules, isSheet: boolean): string {
  const shown: string[] = [];
  /** The open blocks: rules that contain rules, or blocks of declarations. */
  const blocks: ('rule' | 'declarations')[] = [];
  /** The nesting depth inside a removed block; 0 outside. */
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
        // Nested rules (a block among the declarations of a rule) are removed, because matching all enclosing selectors at once is slow.
        const mayOpen = isSheet && blocks.length < MAX_DEPTH && blocks.at(-1) !== 'declarations';
        if (mayOpen && isShownBlock(piece, rules)) {
          shown.push(answerQueries(piece, rules.theme), '{');
          blocks.push(piece.isRule ? 'rule' : 'declarations');
        } else skipped = 1;
      } else {
        const isShown = (blocks.length > 0 || !isSheet) && isShownDeclaration(piece, rules);
        shown.push(isShown ? declarationOf(piece, rules) : blanksOf(piece));
        if (mark === ';') shown.push(isShown ? ';' : '');
        else if (blocks.pop() !== undefined) shown.push('}');
      }
      piece = newPiece();
      continue;
    }
    at = skipped > 0 ? readToken(style, at).end : addToken(style, at, piece, rules);
  }
  if (skipped === 0 && (blocks.length > 0 || !isSheet) && isShownDeclaration(piece, rules))
    shown.push(declarationOf(piece, rules));
  return shown.join('') + '}'.repeat(blocks.length);
}

/** Adds the next token to the piece. @returns the position after the token */
function addToken(style: string, at: number, piece: Piece, rules: StyleRules): number {
  // CSS ignores the start and the end of an HTML comment, for compatibility with early browsers.
  const htmlComment = ['<!--', '-->'].find((mark) => style.startsWith(mark, at));
  if (htmlComment !== undefined) {
    addGap(piece);
    return at + htmlComment.length;
  }
  const token = readToken(style, at);
  const isFirst = piece.isBlank;
  if (token.kind !== 'space' && token.kind !== 'comment') piece.isBlank = false;
  switch (token.kind) {
    case 'space':
      piece.text += token.text;
      break;
    case 'comment':
      addGap(piece);
      break;
    case 'string':
      piece.string = Math.max(piece.string, token.text.length);
      if (piece.generatedText.length <= MAX_CONTENT) piece.generatedText += token.text;
      piece.text += writeString(token.text);
      break;
    case 'url':
      addUrl(token.text, piece, rules);
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
      if (piece.open > 0 && token.text.toLowerCase() === 'of') piece.isNoSelector = true;
      piece.text += writeName(token.text);
      break;
    case 'function': {
      const name = token.text.toLowerCase();
      if (name === 'url') {
        const quoted = readQuotedUrl(style, token.end);
        addUrl(quoted.url, piece, rules);
        return quoted.end;
      }
      if (FUNCTIONS.has(name)) piece.isRefused = true;
      if (!SELECTOR_FUNCTIONS.has(name)) piece.isNoSelector = true;
      piece.open++;
      piece.text += `${writeName(token.text)}(`;
      break;
    }
    case 'other':
      addSign(token.text, piece, style[token.end]);
  }
  return token.end;
}

/** Writes a separator in place of removed text. Attack: the halves of `u<!--rl(...)` would join to `url(...)`. */
function addGap(piece: Piece): void {
  if (!piece.isBlank) piece.text += '/**/';
}

function addSign(sign: string, piece: Piece, next: string | undefined): void {
  if (sign === '(' || sign === '[') piece.open++;
  else if (sign === ')' || sign === ']') piece.open--;
  else if (sign === ':' && piece.valueAt === -1 && piece.open === 0) piece.valueAt = piece.text.length + 1;
  if (piece.open < 0) piece.isRefused = true;
  if (sign === ',') piece.commas++;
  // `~` outside brackets is slow, because it matches all preceding siblings of each element. In brackets, `~=` compares words.
  if (sign === '~' && piece.squares === 0) piece.isNoSelector = true;
  if (sign === '[') piece.squares++;
  else if (sign === ']') piece.squares--;
  // A single `<` means "less than" in a query. A space after `<` ensures that no tag begins.
  if (sign === '<') piece.text += next === undefined || next.trim() !== '' ? '< ' : '<';
  else if (sign !== '\\') piece.text += sign;
}

/** Reads a URL in quotes. @param start the position after `url(` */
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

function addUrl(url: string, piece: Piece, { image }: StyleRules): void {
  const shown = image(url.trim());
  const text = shown === null ? 'none' : `url(${writeString(shown)})`;
  piece.urls += text.length;
  piece.text += text;
}

const COMBINATORS = /\s*[,>+]\s*/g;

function isShownBlock(piece: Piece, { allowsSelector }: StyleRules): boolean {
  const { first, isBlank, open, isRule, isRefused, isNoSelector } = piece;
  if (isRefused || open !== 0 || isBlank) return false;
  if (isRule) return AT_RULES.has(first ?? '');
  if (isNoSelector) return false;
  const text = piece.text.trim();
  const { length } = text;
  const descends = /\s/.test(text.replaceAll(COMBINATORS, ','));
  return (
    allowsSelector?.({ length, count: piece.commas + 1, descends, readsAttributes: text.includes('[') }) ??
    true
  );
}

function isShownDeclaration(
  { first, text, valueAt, open, isRule, isRefused, string, generatedText, urls }: Piece,
  rules: StyleRules,
): boolean {
  if (isRefused || isRule || open !== 0 || first === null || valueAt === -1) return false;
  // Attack: some browsers read `*position: fixed` and similar forms as declarations of `position`.
  if (
    text
      .slice(0, valueAt - 1)
      .trim()
      .toLowerCase() !== writeName(first)
  )
    return false;
  const value = text.slice(valueAt);
  if (PROPERTIES.test(first) || OVERRIDES.test(value) || isHeavy(first, value, urls)) return false;
  if (first === 'position' && !POSITION.test(value)) return false;
  // Attack: a style generates a long text before each of many elements.
  if (string > MAX_STRING) return false;
  if (
    first === 'content' &&
    (LINK_TARGET.test(withoutUnseen(generatedText)) ||
      value.length - urls > MAX_CONTENT ||
      INDIRECT.test(value))
  )
    return false;
  if (rules.keepsDeclaration?.(first, value) === false) return false;
  if (COLORS.test(first) && !NO_COLOR.test(value)) rules.onColor?.();
  return true;
}

function declarationOf({ first, text, valueAt }: Piece, { mapColors }: StyleRules): string {
  if (mapColors === undefined || first === null) return text;
  return text.slice(0, valueAt) + mapColors(first, text.slice(valueAt));
}

function blanksOf({ text }: Piece): string {
  return /^\s*/.exec(text)?.[0] ?? '';
}

function answerQueries({ text, isRule }: Piece, theme: Theme): string {
  if (!isRule) return text;
  return text.replace(SCHEME_QUERY, (_, queried: string) =>
    queried.toLowerCase() === theme ? '(min-width: 0px)' : '(max-width: 0px)',
  );
}
