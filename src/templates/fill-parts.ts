/** Fills a parsed template (docs/templates.md, Variables). */
import { Context, LiquidError, type Template, toValueSync } from 'liquidjs';
import type { Sources } from './fields.ts';
import { CONTENT_LIMITS } from './check-template.ts';
import { ENGINES, faultOf, outputText, parseTemplate, type TemplatePart } from './engine.ts';
import { nameOf } from './variable-name.ts';

export const PARTS = ['subject', 'html', 'text'] as const satisfies readonly TemplatePart[];

export type ParsedParts = Readonly<Record<TemplatePart, readonly Template[]>>;
export type FilledTemplate = Record<TemplatePart, string>;
export type Variables = Readonly<Record<string, unknown>>;

/** The result: the filled parts, the names of the missing variables, or another error with its part and position. */
export type Filling = { filled: FilledTemplate } | { missing: string[] } | { fault: string };

/** The result of each part. A part is in neither record if it was not given, or if only variables are missing. */
export interface PartResults {
  filled: Partial<FilledTemplate>;
  missing: string[];
  /** Other errors by part, with their position. */
  faults: Partial<FilledTemplate>;
}

export const EMPTY = 'the HTML and the text are both empty';

/**
 * The placeholder stays in the filled template, because each recipient's own link is inserted when the email is sent (docs/tracking.md).
 */
const UNSUBSCRIBE = { unsubscribe_url: '{{unsubscribe_url}}' };
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/**
 * The factor by which the raw subject may be longer than the final subject, because runs of control characters are later replaced by one
 * space.
 */
const SUBJECT_SLACK = 2;

type PropertyAccess = Parameters<typeof nameOf>[0];

/** Parses all parts. @returns the first error, with its part and position, if there is one */
export function parseParts(sources: Sources): ParsedParts | { fault: string } {
  const parsed: Partial<Record<TemplatePart, ParsedParts['text']>> = {};
  for (const part of PARTS) {
    const result = parseTemplate(part, sources[part]);
    if ('error' in result) return { fault: `${part}: ${result.error}` };
    parsed[part] = result.templates;
  }
  return parsed as ParsedParts;
}

/** Fills all parts. @see fillEach */
export function fillParts(parsed: ParsedParts, variables: Variables): Filling {
  const { filled, missing, faults } = fillEach(parsed, variables);
  if (missing.length > 0) return { missing };
  for (const part of PARTS) if (faults[part] !== undefined) return { fault: `${part}: ${faults[part]}` };
  if (!filled.html && !filled.text) return { fault: EMPTY };
  return { filled: filled as FilledTemplate };
}

/**
 * Fills the given parts, which share one budget of time and memory. An error in one part does not affect the others.
 * @param strict if false, missing variables are left empty
 */
export function fillEach(
  parsed: Partial<ParsedParts>,
  variables: Variables,
  { strict = true } = {},
): PartResults {
  const { options } = ENGINES.text;
  // With `lenientIf`, a variable may be missing if it is only tested in a condition or has a default. With `catchAllErrors`, rendering
  // continues after an error, so that all errors are found.
  const opts = { ...options, catchAllErrors: true, lenientIf: true };
  const limits = new Context({}, opts);
  const filled: PartResults['filled'] = {};
  const faults: PartResults['faults'] = {};
  const missing = new Set<string>();
  for (const part of PARTS) {
    const templates = parsed[part];
    if (templates === undefined) continue;
    const scope = part === 'subject' ? variables : { ...UNSUBSCRIBE, ...variables };
    const context = new Context(
      scope,
      opts,
      { sync: true, strictVariables: strict },
      {
        memoryLimit: limits.memoryLimit,
        renderLimit: limits.renderLimit,
        liquid: ENGINES[part],
      },
    );
    const output = new Output(part);
    try {
      toValueSync(ENGINES[part].renderer.renderTemplates([...templates], context, output));
      filled[part] = output.text();
    } catch (error) {
      for (const each of errorsIn(error)) {
        const name = missingName(each);
        if (name !== null) missing.add(name);
        else faults[part] ??= faultOf(each);
      }
    }
  }
  return { filled, missing: [...missing], faults };
}

/** Collects the output of a part, up to the size limit of the part. Attack: a template of 100 bytes outputs gigabytes. */
class Output {
  buffer = '';
  readonly #part: TemplatePart;
  readonly #max: number;

  constructor(part: TemplatePart) {
    this.#part = part;
    this.#max = part === 'subject' ? CONTENT_LIMITS.subject * SUBJECT_SLACK : CONTENT_LIMITS.bytes;
  }

  write(value: unknown): void {
    this.buffer += outputText(value);
    if (this.buffer.length > this.#max) throw this.#tooLong();
  }

  /** The text of the part, with the subject on one line. Attack: a line break in a value begins another header field. */
  text(): string {
    const text = this.buffer.toWellFormed();
    const shown = this.#part === 'subject' ? text.replaceAll(CONTROLS, ' ') : text;
    const isTooLong =
      this.#part === 'subject'
        ? shown.length > CONTENT_LIMITS.subject
        : Buffer.byteLength(shown) > CONTENT_LIMITS.bytes;
    if (isTooLong) throw this.#tooLong();
    return shown;
  }

  #tooLong(): Error {
    const { subject, bytes } = CONTENT_LIMITS;
    return new Error(
      `becomes longer than ${this.#part === 'subject' ? `${subject} characters` : `${bytes} bytes`}`,
    );
  }
}

/** All errors in a Liquid error, in which each block nests the errors from its content. */
function errorsIn(error: unknown): unknown[] {
  const errors = (error as { errors?: unknown }).errors;
  return Array.isArray(errors) ? errors.flatMap(errorsIn) : [error];
}

/** The whole name of a missing variable, such as `order.id`; Liquid's message contains only the first part. Null for other errors. */
function missingName(error: unknown): string | null {
  if (!LiquidError.is(error) || error.originalError?.name !== 'InternalUndefinedVariableError') return null;
  return nameOf(error.token as PropertyAccess);
}
