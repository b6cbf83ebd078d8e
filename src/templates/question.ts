/** The messages between the event loop and the thread that runs the template engine. */
import type { AuthoredTemplate, ComposedTemplate, Piece, Sources } from './fields.ts';
import type { TemplatePart } from './engine.ts';
import type { FilledTemplate, Filling, Variables } from './fill-parts.ts';

export interface RenderTasks {
  /** Fills a template for an email. */
  fill: {
    /** The cache key of the sources in the thread. */
    key: string;
    /** The unparsed sources. Null to use the thread's cache; if they are not in it, the result is `unknown`. */
    sources: Sources | null;
    variables: Variables;
  };
  /** Checks a template before it is published, with all pieces of its project. */
  check: { fields: AuthoredTemplate; pieces: readonly Piece[] };
  /** Tries out a template that a user is editing. */
  try: { sources: Sources; layoutId: string | null; pieces: readonly Piece[]; variables: Variables };
  /** Checks a layout or a partial before it is published. */
  'check-piece': { piece: Piece; pieces: readonly Piece[] };
  /** Composes a published template with changed pieces. */
  recompose: {
    fields: AuthoredTemplate;
    before: readonly Piece[];
    after: readonly Piece[];
    sample: Variables;
  };
}

export interface RenderResults {
  fill: Filling | 'unknown';
  check: ComposedTemplate | { errors: Readonly<Record<string, string>> };
  try: Trial;
  'check-piece': Readonly<Record<string, string>>;
  recompose: ComposedTemplate | { problem: string };
}

export type Kind = keyof RenderTasks;
export type RenderTask = { [Of in Kind]: { kind: Of } & RenderTasks[Of] }[Kind];

/** The result of trying out a template. The template may be unfinished. */
export interface Trial {
  /** The variables of the parts that can be parsed. */
  variables: string[];
  /** By part, the error for which the part cannot be parsed or filled, with its position. */
  errors: Partial<Record<TemplatePart, string>>;
  /** The missing variables for which an email with this template and these variables would be rejected. */
  missing: string[];
  /** If an email with this template and these variables would be rejected for another reason: that reason. */
  fault: string | null;
  /** The filled parts, with missing variables left empty. Parts with an error are absent. */
  filled: Partial<FilledTemplate>;
}
