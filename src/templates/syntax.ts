/**
 * What Liquid's tokenizer found, looked at once: whether it is the language as people read it, and which variables it
 * asks for. Liquid itself skips over much that it does not understand (`{{ a, b }}` is `a` to it).
 */
import {
  type LiquidOptions,
  type PropertyAccessToken,
  type TagToken,
  type Token,
  Tokenizer,
  type TopLevelToken,
  TypeGuards,
} from 'liquidjs';
import { nameOf, rootOf } from './variable-name.ts';

const { isOperatorToken, isOutputToken, isPropertyAccessToken, isQuotedToken, isRangeToken, isTagToken } =
  TypeGuards;

/** Tags with an `end...` of their own. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(['if', 'unless', 'for', 'comment', 'raw']);
const TAGS = 'if, elsif, else, unless, for, comment, raw';

/** Liquid's parser calls itself for each block, and for each bracket within a tag. */
const MAX_NESTING = 50;
const MAX_TAG_LENGTH = 2_000;
/** Liquid takes tags from the front of a list, which takes long for one that is long. */
const MAX_TAGS = 10_000;

const FOR_PARAMETERS = new Set(['limit', 'offset', 'reversed']);
const CLOSED_QUOTE = /^(["'])(?:\\.|(?!\1)[^\\])*\1$/s;

type Operators = NonNullable<LiquidOptions['operators']>;

/** Something that the language does not allow. */
export class SyntaxProblem extends Error {
  /** Position in the source. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

interface Block {
  tag: TagToken;
  hasElse: boolean;
  /** Names that a loop gives a meaning to. */
  locals: readonly string[];
}

/**
 * @param tokens of a whole template; they are not changed
 * @returns the names of its variables, each once, in the order in which they first appear
 * @throws SyntaxProblem; an error of Liquid's
 */
export function readSyntax(tokens: readonly TopLevelToken[], operators: Operators): string[] {
  const reader = new SyntaxReader(operators);
  for (const token of tokens) reader.read(token);
  return reader.end();
}

class SyntaxReader {
  readonly #operators: Operators;
  readonly #variables = new Set<string>();
  readonly #open: Block[] = [];
  #tags = 0;

  constructor(operators: Operators) {
    this.#operators = operators;
  }

  read(token: TopLevelToken): void {
    if (!isTagToken(token) && !isOutputToken(token)) return;
    if (++this.#tags > MAX_TAGS) throw new SyntaxProblem(token.begin, `more than ${MAX_TAGS} tags`);
    if (token.end - token.begin > MAX_TAG_LENGTH)
      throw new SyntaxProblem(token.begin, `a tag longer than ${MAX_TAG_LENGTH} characters`);
    // What a comment holds is split into tags, and then left alone.
    if (this.#open.at(-1)?.tag.name === 'comment' && !(isTagToken(token) && token.name === 'endcomment'))
      return;
    if (isTagToken(token)) this.#readTag(token);
    else this.#readFilteredValue(token.contentRange[0], token.contentRange[1], token.input);
  }

  /** @throws SyntaxProblem: a block is still open */
  end(): string[] {
    const block = this.#open.at(-1);
    if (block !== undefined)
      throw new SyntaxProblem(block.tag.begin, `${block.tag.name} is not closed with end${block.tag.name}`);
    return [...this.#variables];
  }

  #readTag(tag: TagToken): void {
    const block = this.#open.at(-1);
    switch (tag.name) {
      case 'if':
      case 'unless':
        this.#readCondition(tag);
        this.#openBlock(tag, []);
        return;
      case 'for':
        this.#openBlock(tag, [this.#readFor(tag), 'forloop']);
        return;
      case 'comment':
      case 'raw':
        this.#openBlock(tag, []);
        return;
      case 'elsif':
        if (block === undefined || block.tag.name === 'for')
          throw new SyntaxProblem(tag.begin, 'elsif without an if before it');
        if (block.hasElse) throw new SyntaxProblem(tag.begin, 'elsif after else');
        this.#readCondition(tag);
        return;
      case 'else':
        if (block === undefined) throw new SyntaxProblem(tag.begin, 'else without an if before it');
        if (block.hasElse) throw new SyntaxProblem(tag.begin, 'a second else');
        expectNoArguments(tag, '; a further condition is elsif');
        block.hasElse = true;
        // It stands for a list without elements: there is nothing to loop over.
        block.locals = [];
        return;
      default:
        if (block === undefined || tag.name !== `end${block.tag.name}`) throw unexpected(tag, block);
        expectNoArguments(tag, '');
        this.#open.pop();
    }
  }

  #openBlock(tag: TagToken, locals: readonly string[]): void {
    if (this.#open.length >= MAX_NESTING)
      throw new SyntaxProblem(tag.begin, `tags nest deeper than ${MAX_NESTING}`);
    this.#open.push({ tag, hasElse: false, locals });
  }

  #readCondition(tag: TagToken): void {
    this.#readFilteredValue(tag.tokenizer.p, tag.contentRange[1], tag.input);
  }

  /** `item in items limit: 3 offset: n reversed`; @returns the loop variable */
  #readFor(tag: TagToken): string {
    const tokenizer = this.#tokenizer(tag.tokenizer.p, tag.contentRange[1], tag.input);
    const variable = tokenizer.readIdentifier().getText();
    const word = tokenizer.readIdentifier().getText();
    const collection = tokenizer.readValue();
    if (variable === '' || word !== 'in' || collection === undefined)
      throw new SyntaxProblem(tag.begin, 'for must be followed by a name, in, and a list');
    // Liquid keeps the state of the loop under this name.
    if (variable === 'forloop') throw new SyntaxProblem(tag.begin, 'forloop cannot be the loop variable');
    this.#readToken(collection);
    for (const { name, value } of tokenizer.readHashes()) {
      const parameter = name.getText();
      if (!FOR_PARAMETERS.has(parameter) || (parameter === 'reversed') !== (value === undefined)) {
        throw new SyntaxProblem(name.begin, 'a list may be followed by limit: n, offset: n and reversed');
      }
      // Liquid's word for: where the last loop over this list stopped.
      if (value !== undefined && value.getText() !== 'continue') this.#readToken(value);
    }
    expectEnd(tokenizer);
    return variable;
  }

  /** `a == b | filter: c, d` */
  #readFilteredValue(begin: number, end: number, input: string): void {
    const tokenizer = this.#tokenizer(begin, end, input);
    const { initial, filters } = tokenizer.readFilteredValue();
    expectEnd(tokenizer);
    const tokens = initial.postfix.toSorted((a, b) => a.begin - b.begin);
    expectOperators(tokens, end);
    for (const token of tokens) if (!isOperatorToken(token)) this.#readToken(token);
    for (const filter of filters) {
      for (const arg of filter.args) {
        const value = Array.isArray(arg) ? arg[1] : arg;
        if (value === undefined)
          throw new SyntaxProblem(filter.begin, `${filter.name} has an argument without a value`);
        this.#readToken(value);
      }
    }
  }

  #readToken(token: Token): void {
    if (isQuotedToken(token) && !CLOSED_QUOTE.test(token.getText()))
      throw new SyntaxProblem(token.begin, 'a quote is not closed');
    if (isRangeToken(token)) {
      this.#readToken(token.lhs);
      this.#readToken(token.rhs);
    } else if (isPropertyAccessToken(token)) this.#readVariable(token);
  }

  #readVariable(token: PropertyAccessToken): void {
    const root = rootOf(token);
    if (root !== null && !this.#open.some(({ locals }) => locals.includes(root)))
      this.#variables.add(nameOf(token));
    if (token.variable !== undefined) this.#readToken(token.variable);
    for (const prop of token.props) {
      // A word has no brackets around it; an empty one stands for brackets around nothing.
      if (TypeGuards.isWordToken(prop) && prop.size() > 0) continue;
      const rest = prop.input.slice(prop.end, prop.input.indexOf(']', prop.end));
      if (prop.size() === 0 || rest.trim() !== '')
        throw new SyntaxProblem(prop.begin, 'brackets must hold one value');
      this.#readToken(prop);
    }
  }

  #tokenizer(begin: number, end: number, input: string): Tokenizer {
    return new Tokenizer(input, this.#operators, undefined, [begin, end]);
  }
}

/** @throws SyntaxProblem unless there is one value, or values with operators between them */
function expectOperators(tokens: readonly Token[], end: number): void {
  let isValueDue = true;
  for (const token of tokens) {
    const isOperator = isOperatorToken(token);
    if (isOperator && token.operator === 'not' ? !isValueDue : isOperator === isValueDue) {
      throw new SyntaxProblem(
        token.begin,
        isValueDue
          ? `a value must stand before ${token.getText()}`
          : 'two values without an operator between them',
      );
    }
    isValueDue = isOperator;
  }
  if (isValueDue) throw new SyntaxProblem(tokens.at(-1)?.begin ?? end, 'a value is missing at the end');
}

function expectEnd(tokenizer: Tokenizer): void {
  tokenizer.skipBlank();
  if (!tokenizer.end()) throw new SyntaxProblem(tokenizer.p, `unexpected ${tokenizer.snapshot()}`);
}

function expectNoArguments(tag: TagToken, hint: string): void {
  if (tag.args !== '') throw new SyntaxProblem(tag.begin, `nothing may follow ${tag.name}${hint}`);
}

function unexpected(tag: TagToken, block: Block | undefined): SyntaxProblem {
  if (!tag.name.startsWith('end')) {
    return new SyntaxProblem(tag.begin, `there is no tag ${tag.name}; the tags are ${TAGS}`);
  }
  const expected = block === undefined ? 'nothing is open' : `end${block.tag.name} is due`;
  return new SyntaxProblem(tag.begin, `${tag.name} where ${expected}`);
}
