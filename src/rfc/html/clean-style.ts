/**
 * Rewrites the styles of a message from their tokens, as a browser would read them (escapes decoded), without anything that loads
 * remote content or covers the rest of the page. Declarations and blocks that are not understood are removed completely, so that a
 * browser never sees more in a style than was checked here.
 */
import { withoutUnseen } from '../without-unseen.ts';
import { isHeavy } from './heavy-values.ts';
import { readToken, writeName, writeString } from './style-tokens.ts';

export type Theme = 'light' | 'dark';

/** Returns the URL to write for an image, or null to remove it. */
type ImageRule = (url: string) => string | null;

export interface StyleRules {
  /** The theme to which colour scheme queries are resolved, regardless of the surrounding page. */
  theme: Theme;
  image: ImageRule;
  /** Called if a style sets a colour. */
  onColour?: () => void;
  /** Whether a selector is cheap enough for a browser to match. Called once for each block. */
  selects?: ((selector: Selector) => boolean) | undefined;
  /** Whether to keep a declaration. Called for declarations that pass all other rules. Default: keep all. @param property in lower case */
  declares?: ((property: string, value: string) => boolean) | undefined;
}

/** The selector of a block, as far as its cost matters. */
export interface Selector {
  length: number;
  /** The number of selectors, separated by commas. */
  count: number;
  /** Whether a selector has a descendant combinator. */
  descends: boolean;
  /** Whether a selector matches values of attributes. */
  readsAttributes: boolean;
}

/** At-rules that contain rules. All other at-rules are removed: they load content, define fonts, animate, or affect the page around the message. */
const AT_RULES = new Set(['media', 'supports']);
/** Functions that load content, run code, or accept URLs as plain strings. */
const FUNCTIONS = new Set(
  'src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element paint expression attr -webkit-canvas'.split(
    ' ',
  ),
);
/** Selector functions that a browser evaluates from one element and its siblings. Attack: `:has()` and `of` can freeze a page for minutes. */
const SELECTOR_FUNCTIONS = new Set(
  'not is where nth-child nth-last-child nth-of-type nth-last-of-type lang'.split(' '),
);
/** Properties that run code, animate, override important declarations, change the pointer, or create any number of columns. */
const PROPERTIES =
  /^(?:behavior|-ms-behavior|-moz-binding|(?:-\w+-)?(?:animation|transition)(?:-.*)?|-webkit-user-modify|src|cursor|(?:-\w+-)?(?:columns|column-(?:count|width|span|fill)))$/;
/** Text in reverse direction. Attack: reversed text makes an address look like another one. */
const OVERRIDES = /[\u202d\u202e]|\b(?:bidi|isolate)-override\b/i;
/** Generated text that could pass for the target of a link. */
const LINK_TARGET = /[\p{L}\p{N}]\.\p{L}|^\.\p{L}|\p{L}\.$|:\/\//u;
/** The allowed values of `position`. Attack: positioned content covers the page's warnings about the message. */
const POSITION = /^\s*(?:static|relative|initial|inherit|unset)\s*(?:!\s*important\s*)?$/i;
const COLOURS = /^(?:color|background|background-color|background-image)$/;
const NO_COLOUR =
  /^\s*(?:inherit|initial|unset|transparent|none|currentcolor|windowtext|auto)\s*(?:!\s*important\s*)?$/i;
const SCHEME_QUERY = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;
/** Blocks nested deeper are removed. */
const MAX_DEPTH = 10;
/** The maximum length of a string, which a style may add to every element. */
const MAX_STRING = 100;
const MAX_CONTENT = 50;
/** References to text elsewhere in the style, which may have any length. */
const INDIRECT = /var\(|counters\(/i;

/** The output for the tokens between two of `;`, `{` and `}`. */
interface Piece {
  text: string;
  /** True while the piece contains only space. */
  isBlank: boolean;
  /** The first name or at-keyword of the piece. */
  first: string | null;
  /** The position after the colon of a declaration; -1 if there is none. */
  valueAt: number;
  open: number;
  isRule: boolean;
  isRefused: boolean;
  /** True if the piece cannot be an accepted selector. It may still be a declaration. */
  isNoSelector: boolean;
  commas: number;
  squares: number;
  /** The length of the longest string in the piece. */
  string: number;
  /** The first strings of the piece, concatenated as `content` shows them. */
  said: string;
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
    said: '',
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
 * The second pass reads what the browser will read. Attack: after the first pass removes text, the tokens around it may join to
 * form a function or a URL. The result may only contain URLs that the first pass wrote; if the second pass finds anything else, the
 * whole style is removed.
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
  /** The nesting depth within a removed block. */
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
        // Blocks in blocks of declarations are removed: they apply to all enclosing selectors at once, which a browser matches slowly.
        const mayOpen = isSheet && blocks.length < MAX_DEPTH && blocks.at(-1) !== 'declarations';
        if (mayOpen && isShownBlock(piece, rules)) {
          shown.push(answerQueries(piece, rules.theme), '{');
          blocks.push(piece.isRule ? 'rule' : 'declarations');
        } else skipped = 1;
      } else {
        const isShown = (blocks.length > 0 || !isSheet) && isShownDeclaration(piece, rules);
        shown.push(isShown ? piece.text : blanksOf(piece));
        if (mark === ';') shown.push(isShown ? ';' : '');
        else if (blocks.pop() !== undefined) shown.push('}');
      }
      piece = newPiece();
      continue;
    }
    at = skipped > 0 ? readToken(style, at).end : addToken(style, at, piece, rules);
  }
  if (skipped === 0 && (blocks.length > 0 || !isSheet) && isShownDeclaration(piece, rules))
    shown.push(piece.text);
  return shown.join('') + '}'.repeat(blocks.length);
}

/** Adds the next token. @returns the position after it */
function addToken(style: string, at: number, piece: Piece, rules: StyleRules): number {
  // The start or end of an HTML comment, a relic of early browsers.
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
      if (piece.said.length <= MAX_CONTENT) piece.said += token.text;
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

/** Writes a separator in place of removed text. Attack: the halves of `u<!--rl(...)` would join to one name. */
function addGap(piece: Piece): void {
  if (!piece.isBlank) piece.text += '/**/';
}

function addSign(sign: string, piece: Piece, next: string | undefined): void {
  if (sign === '(' || sign === '[') piece.open++;
  else if (sign === ')' || sign === ']') piece.open--;
  else if (sign === ':' && piece.valueAt === -1 && piece.open === 0) piece.valueAt = piece.text.length + 1;
  if (piece.open < 0) piece.isRefused = true;
  if (sign === ',') piece.commas++;
  // `~` matches against all preceding siblings of each element. Within brackets it compares words of an attribute.
  if (sign === '~' && piece.squares === 0) piece.isNoSelector = true;
  if (sign === '[') piece.squares++;
  else if (sign === ']') piece.squares--;
  // A single `<` means "less than" in a query. A space after the sign ensures that it does not begin a tag.
  if (sign === '<') piece.text += next === undefined || next.trim() !== '' ? '< ' : '<';
  else if (sign !== '\\') piece.text += sign;
}

/** @param start the position after `url(`, where space and a quote follow */
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

function isShownBlock(piece: Piece, { selects }: StyleRules): boolean {
  const { first, isBlank, open, isRule, isRefused, isNoSelector } = piece;
  if (isRefused || open !== 0 || isBlank) return false;
  if (isRule) return AT_RULES.has(first ?? '');
  if (isNoSelector) return false;
  const text = piece.text.trim();
  const { length } = text;
  const descends = /\s/.test(text.replaceAll(COMBINATORS, ','));
  return (
    selects?.({ length, count: piece.commas + 1, descends, readsAttributes: text.includes('[') }) ?? true
  );
}

function isShownDeclaration(
  { first, text, valueAt, open, isRule, isRefused, string, said, urls }: Piece,
  rules: StyleRules,
): boolean {
  if (isRefused || isRule || open !== 0 || first === null || valueAt === -1) return false;
  // Attack: `*position: fixed` and similar hacks, which some browsers read as a property.
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
  // Attack: a long generated text before each of many elements.
  if (string > MAX_STRING) return false;
  if (
    first === 'content' &&
    (LINK_TARGET.test(withoutUnseen(said)) || value.length - urls > MAX_CONTENT || INDIRECT.test(value))
  )
    return false;
  if (rules.declares?.(first, value) === false) return false;
  if (COLOURS.test(first) && !NO_COLOUR.test(value)) rules.onColour?.();
  return true;
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
