/**
 * The template language: Liquid, of which only output, a few filters and the tags `if`, `unless`, `for`, `comment` and `raw` are available.
 * Templates read no files and no inherited properties, and are limited in time and memory.
 */
import {
  type FilterImplOptions,
  filters,
  Liquid,
  LiquidError,
  Parser,
  type Template,
  Tokenizer,
} from 'liquidjs';
import { BLOCK_TAGS, INNER_TAGS, readSyntax } from './syntax.ts';

/** In `html`, output is escaped unless the last filter is `raw`. In `subject` and `text`, values are output unchanged. */
export type TemplatePart = 'subject' | 'html' | 'text';

export const FILTERS = [
  'append',
  'capitalize',
  'date',
  'default',
  'downcase',
  'escape',
  'first',
  'join',
  'last',
  'minus',
  'plus',
  'prepend',
  'raw',
  'round',
  'size',
  'strip',
  'times',
  'truncate',
  'upcase',
  'url_encode',
] as const;

/** Maximum length of a part's source, in characters. */
const MAX_SOURCE_LENGTH = 2 * 1024 * 1024;
const MAX_RENDER_MS = 500;
/** Maximum number of characters and list elements that filters and ranges may create. */
const MAX_MEMORY = 16 * 1024 * 1024;
const MAX_MESSAGE_LENGTH = 200;

type FilterHandler = Extract<FilterImplOptions, { raw: boolean }>['handler'];

const liquidEscape = filters['escape'] as FilterHandler;
const escape: FilterHandler = function (value) {
  return liquidEscape.call(this, outputText(value));
};

/**
 * The text of a value in the email.
 * @throws Error for an object, and for a number beyond the range of a double, because "[object Object]" and "Infinity" are useless in an
 * email
 */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(outputText).join('');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('a number is too large for output; pass it as text');
  if (typeof value !== 'object') return String(value);
  throw new Error('an object cannot be output; name one of its members');
}

function newEngine(outputEscape?: FilterHandler): Liquid {
  const engine = new Liquid({
    // An empty list of templates, so that a template cannot include a file.
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    // Always UTC, so that a date does not depend on the time zone of the machine.
    timezoneOffset: 0,
    locale: 'en-US',
    renderLimit: MAX_RENDER_MS,
    memoryLimit: MAX_MEMORY,
    ...(outputEscape === undefined ? {} : { outputEscape }),
  });
  // Remove all tags but the block tags. `else` and the `end...` tags need not be registered, because each block tag parses its own.
  for (const name of Object.keys(engine.tags)) if (!BLOCK_TAGS.has(name)) delete engine.tags[name];
  const allowed = new Set<string>(FILTERS);
  for (const name of Object.keys(engine.filters)) if (!allowed.has(name)) engine.unregisterFilter(name);
  // If a template escapes a value itself, it must not be escaped again. `raw: true` tells Liquid that the result of this filter is already
  // escaped.
  engine.registerFilter('escape', { handler: escape, raw: true });
  return engine;
}

const plain = newEngine();
/** The engine for each part. A template must be rendered by the engine that parsed it. */
export const ENGINES: Readonly<Record<TemplatePart, Liquid>> = {
  subject: plain,
  html: newEngine(escape),
  text: plain,
};

export interface ParsedTemplate {
  templates: Template[];
  /** The variables that the data must have: each dotted name once, in the order of first appearance. */
  variables: string[];
}

/**
 * Parses a template, in time proportional to its length. Rejects what Liquid would silently misread: for example, it takes `{{ first name
 * }}` for `{{ first }}`.
 *
 * @returns the parsed template, or an error with its position: `line 3, column 7: ...`
 */
export function parseTemplate(part: TemplatePart, source: string): ParsedTemplate | { error: string } {
  const engine = ENGINES[part];
  if (source.length > MAX_SOURCE_LENGTH) return { error: `is longer than ${MAX_SOURCE_LENGTH} characters` };
  try {
    const tokens = new Tokenizer(source, engine.options.operators).readTopLevelTokens(engine.options);
    const variables = readSyntax(tokens, engine.options.operators);
    return { templates: new Parser(engine).parseTokens(tokens), variables };
  } catch (error) {
    if (LiquidError.is(error)) return { error: faultOf(error) };
    throw error;
  }
}

/** The error message for a template that cannot be parsed or filled, with the position if known: `line 3, column 7: ...`. */
export function faultOf(error: unknown): string {
  if (LiquidError.is(error)) return located(error.token.input, error.token.begin, messageOf(error));
  return error instanceof Error ? error.message : String(error);
}

/** The message of a Liquid error without the position that Liquid appends. */
function messageOf({ message, originalError }: LiquidError): string {
  const text = originalError?.message ?? message.replace(/, line:\d+, col:\d+$/, '');
  const filter = /^undefined filter: (.*)$/s.exec(text)?.[1];
  if (filter !== undefined)
    return `there is no filter ${filter}; the available filters are ${FILTERS.join(', ')}`;
  const tag = /^tag "(.*)" not found$/s.exec(text)?.[1];
  if (tag === undefined) return text;
  return INNER_TAGS.has(tag)
    ? `${tag} is not inside the tag that it belongs to`
    : `there is no tag ${tag}; the available tags are if, elsif, else, unless, for, comment, raw`;
}

/** A message with its position: `line 3, column 7: ...`. */
export function located(source: string, at: number, message: string): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const shown = message.replaceAll(/\p{Cc}+/gu, ' ');
  const text = shown.length > MAX_MESSAGE_LENGTH ? `${shown.slice(0, MAX_MESSAGE_LENGTH)}…` : shown;
  return `line ${line}, column ${column}: ${text.toWellFormed()}`;
}
