/** What passes between the event loop and the thread that knows the language. */
import type { TemplateFields } from './check-template.ts';
import type { TemplatePart } from './engine.ts';
import type { FilledTemplate, Filling, Variables } from './fill-parts.ts';

export type Sources = Readonly<Record<TemplatePart, string>>;

/** What is asked, by its kind. */
export interface Questions {
  /** For an email. */
  fill: {
    /** Names the sources for as long as the thread runs. */
    key: string;
    /** Null: the thread should have them by their key. */
    sources: Sources | null;
    variables: Variables;
  };
  /** For saving. */
  check: { fields: TemplateFields };
  /** For somebody who is writing it. */
  try: { sources: Sources; variables: Variables };
}

/** What is answered to a question of that kind. */
export interface RenderResults {
  fill: Filling | 'unknown';
  check: { variables: string[] } | { errors: Readonly<Record<string, string>> };
  try: Trial;
}

export type Kind = keyof Questions;
export type RenderTask = { [Of in Kind]: { kind: Of } & Questions[Of] }[Kind];

/** What a template is like that need not be finished. */
export interface Trial {
  /** Of the parts that can be read. */
  variables: string[];
  /** By part: what cannot be read, with its place. */
  errors: Partial<Record<TemplatePart, string>>;
  /** Which variables an email would be refused for. */
  missing: string[];
  /** Why else an email would be refused. */
  fault: string | null;
  /** What is missing is left empty. Null: there are errors, or a fault. */
  filled: FilledTemplate | null;
}
