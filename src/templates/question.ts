/** The messages between the event loop and the thread that runs the template engine. */
import type { TemplateFields } from './check-template.ts';
import type { TemplatePart } from './engine.ts';
import type { FilledTemplate, Filling, Variables } from './fill-parts.ts';

export type Sources = Readonly<Record<TemplatePart, string>>;

/** The tasks, by kind. */
export interface RenderTasks {
  /** Fills a template for an email. */
  fill: {
    /** The cache key of the sources in the thread. */
    key: string;
    /** The unparsed sources. Null if the thread should have the parsed sources in its cache. */
    sources: Sources | null;
    variables: Variables;
  };
  /** Checks a template before it is saved. */
  check: { fields: TemplateFields };
  /** Tries out a template that a user is editing. */
  try: { sources: Sources; variables: Variables };
}

/** The results, by kind of task. */
export interface RenderResults {
  fill: Filling | 'unknown';
  check: { variables: string[] } | { errors: Readonly<Record<string, string>> };
  try: Trial;
}

export type Kind = keyof RenderTasks;
export type RenderTask = { [Of in Kind]: { kind: Of } & RenderTasks[Of] }[Kind];

/** The result of trying out a template. The template may be unfinished. */
export interface Trial {
  /** The variables of the parts that can be parsed. */
  variables: string[];
  /** Syntax errors by part, with their position. */
  errors: Partial<Record<TemplatePart, string>>;
  /** The variables whose absence would cause an email with this template to be rejected. */
  missing: string[];
  /** Another reason why an email with this template would be rejected. */
  fault: string | null;
  /** The filled template, with missing variables left empty. Null if there are errors or a fault. */
  filled: FilledTemplate | null;
}
