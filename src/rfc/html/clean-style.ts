/**
 * Styles of mail, written anew from what a browser would read in them (escapes undone), without what they would load from elsewhere or put over
 * the rest. Declarations and blocks that are not understood are left out whole, so that a browser sees no more of them than was seen here.
 */
import { withoutUnseen } from '../without-unseen.ts';
import { isHeavy } from './heavy-values.ts';
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
  /** Whether a browser has the time to look where it applies: once for each block. */
  selects?: ((selector: Selector) => boolean) | undefined;
  /** Whether a declaration may stay; asked for those that pass all other rules. Default: each of them. @param property in lower case */
  declares?: ((property: string, value: string) => boolean) | undefined;
}

/** What a block applies to, as far as finding it takes time. */
export interface Selector {
  length: number;
  /** One, or as many as commas part. */
  count: number;
  /** Something stands within something else. */
  descends: boolean;
  /** It looks into values of attributes. */
  readsAttributes: boolean;
}

/** Rules with rules in them. All others go: they load, make fonts, move things, or reach beyond the message. */
const AT_RULES = new Set(['media', 'supports']);
/** Functions that load, run, or take URLs for plain strings. */
const FUNCTIONS = new Set(
  'src image image-set -webkit-image-set cross-fade -webkit-cross-fade element -moz-element paint expression attr -webkit-canvas'.split(
    ' ',
  ),
);
/** Functions of selectors that a browser answers by looking at one element or its neighbours. Attack: `:has()` and `of`, with which a page stands still for minutes. */
const SELECTOR_FUNCTIONS = new Set(
  'not is where nth-child nth-last-child nth-of-type nth-last-of-type lang'.split(' '),
);
/** Properties that run something, move by themselves, have a say over those that are important, draw another pointer, or make as many columns as they please. */
const PROPERTIES =
  /^(?:behavior|-ms-behavior|-moz-binding|(?:-\w+-)?(?:animation|transition)(?:-.*)?|-webkit-user-modify|src|cursor|(?:-\w+-)?(?:columns|column-(?:count|width|span|fill)))$/;
/** Attack: letters that are read from their end, so that an address is another one. */
const OVERRIDES = /[\u202d\u202e]|\b(?:bidi|isolate)-override\b/i;
/** A text that may be read as the place where a link leads. */
const PLACE = /[\p{L}\p{N}]\.\p{L}|^\.\p{L}|\p{L}\.$|:\/\//u;
/** Attack: what floats over all else covers what is said of the message. */
const POSITION = /^\s*(?:static|relative|initial|inherit|unset)\s*(?:!\s*important\s*)?$/i;
const COLOURS = /^(?:color|background|background-color|background-image)$/;
const NO_COLOUR =
  /^\s*(?:inherit|initial|unset|transparent|none|currentcolor|windowtext|auto)\s*(?:!\s*important\s*)?$/i;
const SCHEME_QUERY = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;
/** Deeper ones are left out. */
const MAX_DEPTH = 10;
/** Of text that a style puts before, behind or in place of something of each element. */
const MAX_STRING = 100;
const MAX_CONTENT = 50;
/** What is put there from elsewhere in the style may be of any length. */
const INDIRECT = /var\(|counters\(/i;

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
  /** It may be a declaration, and selects nothing. */
  isNoSelector: boolean;
  commas: number;
  squares: number;
  /** The longest string in it. */
  string: number;
  /** What the first ones are behind each other, as `content` shows them. */
  said: string;
  /** Characters of addresses. */
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

/** A style sheet. In time proportional to it. */
export function cleanStyle(style: string, rules: StyleRules): string {
  return cleanTwice(style, rules, true);
}

/** The value of an attribute `style`. */
export function cleanDeclarations(style: string, rules: StyleRules): string {
  return cleanTwice(style, rules, false);
}

/**
 * The second pass reads what a browser will read. Attack: text that the first pass leaves out joins the tokens around it to a function or an
 * address. Only addresses that the first pass wrote may stand in the result; a style in which the second pass finds anything else is left out.
 */
function cleanTwice(style: string, rules: StyleRules, isSheet: boolean): string {
  const written = new Set<string>();
  const image = (url: string): string | null => {
    const shown = rules.image(url);
    if (shown !== null) written.add(shown.trim());
    return shown;
  };
  // CSS Syntax 3, section 3.3.
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
  /** What is open: rules for all that stands in them, or blocks of declarations. */
  const blocks: ('rule' | 'declarations')[] = [];
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
        // Blocks within blocks are for all of those around them at once, which takes a browser long to find out.
        const isPlace = isSheet && blocks.length < MAX_DEPTH && blocks.at(-1) !== 'declarations';
        if (isPlace && isShownBlock(piece, rules)) {
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

/** Adds the next token. @returns the position behind it */
function addToken(style: string, at: number, piece: Piece, rules: StyleRules): number {
  // The begin and the end of an HTML comment, for browsers of the last century.
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

/** In place of text that is left out. Attack: `u<!--rl(...)`, whose halves would become one name. */
function addGap(piece: Piece): void {
  if (!piece.isBlank) piece.text += '/**/';
}

function addSign(sign: string, piece: Piece, next: string | undefined): void {
  if (sign === '(' || sign === '[') piece.open++;
  else if (sign === ')' || sign === ']') piece.open--;
  else if (sign === ':' && piece.valueAt === -1 && piece.open === 0) piece.valueAt = piece.text.length + 1;
  if (piece.open < 0) piece.isRefused = true;
  if (sign === ',') piece.commas++;
  // All that stand before an element, for each element. Within brackets it is about words of a value.
  if (sign === '~' && piece.squares === 0) piece.isNoSelector = true;
  if (sign === '[') piece.squares++;
  else if (sign === ']') piece.squares--;
  // A lone one is read as `less than` in a query, and begins no tag where a space follows.
  if (sign === '<') piece.text += next === undefined || next.trim() !== '' ? '< ' : '<';
  else if (sign !== '\\') piece.text += sign;
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
  // Attack: `*position: fixed`, and what else some browser takes for a name.
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
  // Attack: a long text before each of many elements.
  if (string > MAX_STRING) return false;
  if (
    first === 'content' &&
    (PLACE.test(withoutUnseen(said)) || value.length - urls > MAX_CONTENT || INDIRECT.test(value))
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
  return text.replace(SCHEME_QUERY, (_, asked: string) =>
    asked.toLowerCase() === theme ? '(min-width: 0px)' : '(max-width: 0px)',
  );
}
