/**
 * Checks the syntax more strictly than Liquid's parser, which skips text that it does not understand: it takes `{{ a, b }}` for `{{ a }}`.
 * So each tag is read a second time, by a subclass of Liquid's tokenizer that rejects skipped text and collects the variables.
 */
import {
  type LiquidOptions,
  type PropertyAccessToken,
  type Token,
  Tokenizer,
  type TopLevelToken,
  TypeGuards,
} from 'liquidjs';
import { nameOf, rootOf } from './variable-name.ts';

const { isOperatorToken, isOutputToken, isPropertyAccessToken, isTagToken } = TypeGuards;

/** Tags that have an `end...` tag. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(['if', 'unless', 'for', 'comment', 'raw']);
/** Tags that continue or end a block. */
export const INNER_TAGS: ReadonlySet<string> = new Set([
  'elsif',
  'else',
  ...[...BLOCK_TAGS].map((name) => `end${name}`),
]);
/** Tags with a condition. */
const VALUE_TAGS: ReadonlySet<string> = new Set(['if', 'unless', 'elsif']);

/**
 * Limits on the recursion of Liquid's parser. It recurses into each block (limited by `MAX_NESTING`), and into each bracket within a tag
 * (limited by `MAX_TAG_LENGTH`).
 */
const MAX_NESTING = 50;
const MAX_TAG_LENGTH = 2_000;
/**
 * The maximum number of tags and outputs. Liquid's parser removes tags one by one from the front of an array, which is slow if the array is
 * long.
 */
const MAX_TAGS = 10_000;

const FOR_PARAMETERS = new Set(['limit', 'offset', 'reversed']);
const CLOSED_QUOTE = /^(["'])(?:\\.|(?!\1)[^\\])*\1$/s;

interface Block {
  name: string;
  hasElse: boolean;
  /** The names that the loop defines, which are therefore not variables of the template. */
  locals: readonly string[];
}

/**
 * Checks the tags and outputs of a template. Does not check that blocks are nested correctly: Liquid's parser does that.
 * @param tokens the tokens of a whole template, which are not changed
 * @returns the name of each variable once, in the order of first appearance
 * @throws a Liquid error
 */
export function readSyntax(
  tokens: readonly TopLevelToken[],
  operators: NonNullable<LiquidOptions['operators']>,
): string[] {
  const variables = new Set<string>();
  const open: Block[] = [];
  let tags = 0;
  for (const token of tokens) {
    const isTag = isTagToken(token);
    if (!isTag && !isOutputToken(token)) continue;
    const begin = isTag ? token.tokenizer.p : token.contentRange[0];
    const reader = new StrictTokenizer(token.input, operators, undefined, [begin, token.contentRange[1]]);
    const refuse = (message: string) => reader.error(message, token.begin);
    if (++tags > MAX_TAGS) throw refuse(`more than ${MAX_TAGS} tags`);
    if (token.end - token.begin > MAX_TAG_LENGTH)
      throw refuse(`a tag longer than ${MAX_TAG_LENGTH} characters`);
    const name = isTag ? token.name : null;
    const block = open.at(-1);
    // Tags inside a comment are ignored.
    if (block?.name === 'comment' && name !== 'endcomment') continue;
    if (name === 'comment' || name === 'raw') reader.p = reader.N;
    // Skip an unknown tag: Liquid's parser will report it.
    else if (name !== null && !BLOCK_TAGS.has(name) && !INNER_TAGS.has(name)) continue;

    const locals = name === 'for' ? [reader.readFor(), 'forloop'] : [];
    if (!isTag || VALUE_TAGS.has(token.name)) reader.readFilteredValue();
    for (const path of reader.paths) {
      const root = rootOf(path);
      if (root !== null && !open.some((outer) => outer.locals.includes(root))) variables.add(nameOf(path));
    }
    if (block?.hasElse && (name === 'else' || name === 'elsif')) throw refuse(`${name} after else`);
    // In a loop, what follows `else` is rendered if the list is empty, so there is no loop variable.
    if (name === 'else' && block !== undefined) Object.assign(block, { hasElse: true, locals: [] });
    else if (name === `end${block?.name}`) open.pop();
    reader.expectEnd(name === 'else' ? '; a further condition is elsif' : '');
    if (name === null || !BLOCK_TAGS.has(name)) continue;
    if (open.length >= MAX_NESTING) throw refuse(`tags nest deeper than ${MAX_NESTING}`);
    open.push({ name, hasElse: false, locals });
  }
  return [...variables];
}

/** Reads a tag or an output to its end. */
class StrictTokenizer extends Tokenizer {
  #paths: PropertyAccessToken[] = [];

  /** The variables, in the order of the source. */
  get paths(): PropertyAccessToken[] {
    return this.#paths.toSorted((a, b) => a.begin - b.begin);
  }

  /** Reads the parameters of a loop: `item in items limit: 3 offset: n reversed`. @returns the loop variable */
  readFor(): string {
    const variable = this.readIdentifier().getText();
    // Liquid needs this name for the state of the loop.
    if (variable === 'forloop') throw this.error('forloop cannot be the loop variable');
    this.readIdentifier();
    this.readValue();
    for (const { name, value } of this.readHashes()) {
      const parameter = name.getText();
      if (!FOR_PARAMETERS.has(parameter) || (parameter === 'reversed') !== (value === undefined)) {
        throw this.error('a list may be followed by limit: n, offset: n and reversed', name.begin);
      }
      // Here, `continue` is not a variable but a keyword: the position where the last loop over this list stopped.
      if (value?.getText() === 'continue') this.#paths = this.#paths.filter((path) => path !== value);
    }
    return variable;
  }

  expectEnd(hint: string): void {
    this.skipBlank();
    if (!this.end()) throw this.error(`unexpected ${this.snapshot()}${hint}`);
  }

  override readFilteredValue() {
    const value = super.readFilteredValue();
    this.expectEnd('');
    return value;
  }

  /** Reads one value, or several values with operators between them. */
  override *readExpressionTokens() {
    let last: Token | null = null;
    let isValueDue = true;
    for (const token of super.readExpressionTokens()) {
      const isOperator = isOperatorToken(token);
      if (isOperator && token.operator === 'not' ? !isValueDue : isOperator === isValueDue) {
        const fault = `a value is missing before ${token.getText()}`;
        throw this.error(isValueDue ? fault : 'two values without an operator between them', token.begin);
      }
      isValueDue = isOperator;
      last = token;
      yield token;
    }
    if (isValueDue && last !== null) throw this.error('a value is missing at the end', last.begin);
  }

  override readValue() {
    const value = super.readValue();
    if (isPropertyAccessToken(value)) this.#paths.push(value);
    return value;
  }

  override readQuoted() {
    const quoted = super.readQuoted();
    if (quoted !== undefined && !CLOSED_QUOTE.test(quoted.getText()))
      throw this.error('a quote is not closed', quoted.begin);
    return quoted;
  }

  override readFilterArg() {
    const before = this.#paths.length;
    const arg = super.readFilterArg();
    if (!Array.isArray(arg)) return arg;
    const [, value] = arg;
    if (value === undefined) throw this.error('a filter has an argument without a value');
    // Liquid has taken the name of the argument for a variable, so remove it from the paths.
    this.#paths = this.#paths.filter((path, at) => at < before || path.begin >= value.begin);
    return arg;
  }

  /** Rejects text that Liquid would skip, between a property in brackets and the closing bracket. */
  override readTo(end: string): number {
    this.skipBlank();
    const inside = this.input.slice(this.input.lastIndexOf('[', this.p - 1) + 1, this.p);
    if (end === ']' && !this.end() && (this.peek() !== ']' || inside.trim() === ''))
      throw this.error('brackets must contain exactly one value');
    return super.readTo(end);
  }
}
