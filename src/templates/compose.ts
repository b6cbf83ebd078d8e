/**
 * Inserts the layout and the partials of a template into its source (docs/templates.md, Layouts and partials). The result is an ordinary
 * template, which is stored when it is published. Rendering therefore reads no other template.
 */
import { Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs';
import type { Piece, Sources } from './fields.ts';
import { CONTENT_LIMITS } from './check-template.ts';
import { ENGINES, faultOf, located, parseTemplate } from './engine.ts';
import type { Trial } from './question.ts';

const { isTagToken } = TypeGuards;
const SPACE = /\s*/y;
const QUOTED = /^(["'])(.*)\1$/s;
/** The end of one source and the start of the next that together would begin a tag, which is in neither of them. */
const JOINED = /^\{[{%]$/;

/** The bodies of a template. The subject has no layout and no partials. */
export const BODIES = ['html', 'text'] as const;
type Body = (typeof BODIES)[number];
type Kind = 'template' | 'layout' | 'partial';

export interface Composition {
  sources: Sources;
  /** Errors by part, such as the name of an unknown partial. The source of such a part is not composed. */
  errors: Trial['errors'];
  /** The uuids of the layout and of all included partials. */
  pieceIds: string[];
  /** Converts the position in an error message about a composed part into the position in the template or piece that has the error. */
  locate(part: keyof Sources, message: string): string;
}

/** @param layoutId the uuid of the layout; null for none */
export function composeTemplate(
  sources: Sources,
  layoutId: string | null,
  pieces: readonly Piece[],
): Composition {
  const layout =
    layoutId === null ? null : pieces.find(({ id, kind }) => id === layoutId && kind === 'layout');
  const composed = { ...sources };
  const errors: Composition['errors'] = {};
  const pieceIds = new Set<string>(layoutId === null ? [] : [layoutId]);
  const composers: Partial<Record<keyof Sources, Composer>> = {};
  for (const body of BODIES) {
    if (sources[body] === '') continue;
    const template: Source = { kind: 'template', name: '', text: sources[body] };
    try {
      if (layout === undefined) throw new ComposeError('its layout does not exist; choose another layout');
      const composer = new Composer(body, pieces);
      if (layout === null || layout[body] === '') composer.insert(template);
      else {
        // On its own, the template must be complete: a block must not begin in the template and end in the layout.
        const alone = new Composer(body, pieces);
        alone.insert(template);
        const parsed = parseTemplate(body, alone.output);
        if ('error' in parsed) throw new ComposeError(alone.locate(parsed.error));
        composer.insert({ kind: 'layout', name: layout.name, text: layout[body] }, template);
      }
      composed[body] = composer.output;
      composers[body] = composer;
      for (const id of composer.pieceIds) pieceIds.add(id);
    } catch (error) {
      if (!(error instanceof ComposeError)) throw error;
      errors[body] = error.message;
    }
  }
  return {
    sources: composed,
    errors,
    pieceIds: [...pieceIds],
    locate: (part, message) => composers[part]?.locate(message) ?? message,
  };
}

/** Checks one body of a piece. @returns the error with its position; null if the body is valid */
export function pieceFault(piece: Piece, body: Body, pieces: readonly Piece[]): string | null {
  if (piece[body] === '') return null;
  try {
    const composer = new Composer(body, pieces);
    // In its own errors, the piece is not named.
    composer.insert({ kind: piece.kind, name: '', text: piece[body] }, EMPTY);
    const parsed = parseTemplate(body, composer.output);
    return 'error' in parsed ? composer.locate(parsed.error) : null;
  } catch (error) {
    if (error instanceof ComposeError) return error.message;
    throw error;
  }
}

interface Source {
  kind: Kind;
  /** Empty for the source that the user is editing. */
  name: string;
  text: string;
}

const EMPTY: Source = { kind: 'template', name: '', text: '' };

/** A range of the output, up to the next span. */
interface Span {
  at: number;
  source: Source;
  /** The offset in the source. */
  from: number;
}

class ComposeError extends Error {}

class Composer {
  output = '';
  readonly pieceIds = new Set<string>();
  readonly #body: Body;
  readonly #pieces: readonly Piece[];
  readonly #spans: Span[] = [];
  /** The last character of the output. Reading it from the output would copy the output each time. */
  #last = '';

  constructor(body: Body, pieces: readonly Piece[]) {
    this.#body = body;
    this.#pieces = pieces;
  }

  /** @param content the source that replaces `{% content %}`, if the source is a layout @throws ComposeError */
  insert(source: Source, content?: Source): void {
    let position = 0;
    let contents = 0;
    let isComment = false;
    for (const token of this.#tokensOf(source)) {
      if (!isTagToken(token)) continue;
      const { name } = token;
      if (isComment || name === 'comment') {
        isComment = name !== 'endcomment';
        continue;
      }
      if (name !== 'include' && name !== 'content') continue;
      const fault = (message: string) => faultIn(source, token.begin, message);
      const before = source.text.slice(position, token.begin);
      this.#append(source, token.trimLeft ? before.trimEnd() : before, position);
      const given = token.input.slice(token.tokenizer.p, token.contentRange[1]).trim();
      if (name === 'include') this.insert(this.#partial(source, given, fault));
      else if (source.kind !== 'layout' || content === undefined)
        throw fault('{% content %} is only available in a layout');
      else if (given !== '') throw fault(`unexpected ${given} after content`);
      else if (++contents > 1) throw fault('a layout has {% content %} only once');
      else this.insert(content);
      position = token.end;
      if (token.trimRight) position = endOfSpace(source.text, position);
    }
    this.#append(source, source.text.slice(position), position);
    if (source.kind === 'layout' && contents === 0)
      throw faultIn(
        source,
        0,
        'the layout lacks {% content %}, which stands for the content of the template',
      );
  }

  /** Converts the position in the output into the position in its source. */
  locate(message: string): string {
    const [, line, column, text = ''] = /^line (\d+), column (\d+): (.*)$/s.exec(message) ?? [];
    if (line === undefined) return message;
    let at = 0;
    for (let lines = 1; lines < Number(line); lines++) at = this.output.indexOf('\n', at) + 1;
    at += Number(column) - 1;
    const span = this.#spans.findLast((each) => each.at <= at);
    return span === undefined ? message : faultIn(span.source, span.from + at - span.at, text).message;
  }

  #tokensOf(source: Source): TopLevelToken[] {
    const { options } = ENGINES[this.#body];
    try {
      return new Tokenizer(source.text, options.operators).readTopLevelTokens(options);
    } catch (error) {
      throw new ComposeError(`${placeOf(source)}${faultOf(error)}`);
    }
  }

  #partial(source: Source, given: string, fault: (message: string) => ComposeError): Source {
    if (source.kind === 'partial') throw fault('a partial cannot include another partial');
    const name = QUOTED.exec(given)?.[2];
    if (name === undefined) throw fault('write the name of the partial in quotes: {% include "footer" %}');
    const piece = this.#pieces.find((each) => each.kind === 'partial' && each.name === name);
    if (piece === undefined) throw fault(`there is no partial ${name}`);
    const text = piece[this.#body];
    if (text === '') throw fault(`the partial ${name} has no ${this.#body === 'html' ? 'HTML' : 'text'}`);
    this.pieceIds.add(piece.id);
    return { kind: 'partial', name, text };
  }

  #append(source: Source, text: string, from: number): void {
    if (text === '') return;
    // The limit stops this attack: a template of a few KB includes a large partial thousands of times.
    if (this.output.length + text.length > CONTENT_LIMITS.bytes)
      throw new ComposeError(`with its layout and partials, has more than ${CONTENT_LIMITS.bytes} bytes`);
    if (JOINED.test(`${this.#last}${text[0] ?? ''}`))
      throw faultIn(
        source,
        from,
        'would begin a tag together with the { before it; write a space between them',
      );
    this.#spans.push({ at: this.output.length, source, from });
    this.output += text;
    this.#last = text.at(-1) ?? '';
  }
}

function endOfSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function faultIn(source: Source, at: number, message: string): ComposeError {
  return new ComposeError(`${placeOf(source)}${located(source.text, at, message)}`);
}

function placeOf({ kind, name }: Source): string {
  return name === '' ? '' : `${kind} ${name}, `;
}
