/** Fills a parsed template in (docs/templates.md, Variables). */
import { Context, LiquidError, type Template, toValueSync } from 'liquidjs';
import { CONTENT_LIMITS } from './check-template.ts';
import { ENGINES, faultOf, putOut, type TemplatePart } from './engine.ts';
import { nameOf } from './variable-name.ts';

export const PARTS = ['subject', 'html', 'text'] as const satisfies readonly TemplatePart[];

export type ParsedParts = Readonly<Record<TemplatePart, readonly Template[]>>;
export type FilledTemplate = Record<TemplatePart, string>;
export type Variables = Readonly<Record<string, unknown>>;

/** What came of it: the parts, the names of the variables that are missing, or what else went wrong, with its part and place. */
export type Filling = { filled: FilledTemplate } | { missing: string[] } | { fault: string };

/** It stays where it stands: the link is each recipient's own, and is written when the email goes out (docs/tracking.md). */
const UNSUBSCRIBE = { unsubscribe_url: '{{unsubscribe_url}}' };
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** Control characters become fewer when the subject is put on one line. */
const SUBJECT_ROOM = 2;

type PropertyAccess = Parameters<typeof nameOf>[0];

/** One budget of time and memory for all parts. Not strict: what is missing is left empty. */
export function fillParts(parsed: ParsedParts, variables: Variables, { strict = true } = {}): Filling {
  const { options } = ENGINES.text;
  // A variable that is asked for in a condition, or has a default, may be missing; no error keeps the others from being found.
  const opts = { ...options, catchAllErrors: true, lenientIf: true };
  const limits = new Context({}, opts);
  const filled: FilledTemplate = { subject: '', html: '', text: '' };
  const missing = new Set<string>();
  let fault: string | null = null;
  for (const part of PARTS) {
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
      toValueSync(ENGINES[part].renderer.renderTemplates([...parsed[part]], context, output));
      filled[part] = output.text();
    } catch (error) {
      for (const each of errorsIn(error)) {
        const name = missingName(each);
        if (name !== null) missing.add(name);
        else fault ??= `${part}: ${faultOf(each)}`;
      }
    }
  }
  if (missing.size > 0) return { missing: [...missing] };
  if (fault !== null) return { fault };
  if (filled.html === '' && filled.text === '') return { fault: 'neither HTML nor text comes of it' };
  return { filled };
}

/** Takes what is put out, as far as an email has room for it. Attack: a template of 100 bytes that puts out gigabytes. */
class Output {
  buffer = '';
  readonly #part: TemplatePart;
  readonly #max: number;

  constructor(part: TemplatePart) {
    this.#part = part;
    this.#max = part === 'subject' ? CONTENT_LIMITS.subject * SUBJECT_ROOM : CONTENT_LIMITS.bytes;
  }

  write(value: unknown): void {
    this.buffer += putOut(value);
    if (this.buffer.length > this.#max) throw this.#tooLong();
  }

  /** Attack: a line break in a value would begin another field of the header. */
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

/** Each block has a list of its own. */
function errorsIn(error: unknown): unknown[] {
  const errors = (error as { errors?: unknown }).errors;
  return Array.isArray(errors) ? errors.flatMap(errorsIn) : [error];
}

/** The whole name, `order.id`, where Liquid tells its first part that there is not. */
function missingName(error: unknown): string | null {
  if (!LiquidError.is(error) || error.originalError?.name !== 'InternalUndefinedVariableError') return null;
  return nameOf(error.token as PropertyAccess);
}
