/** What passes between the event loop and the thread that knows the language. */
import type { Filling, Variables } from './fill-parts.ts';
import type { TemplatePart } from './engine.ts';

export type Sources = Readonly<Record<TemplatePart, string>>;

export interface Question {
  /** Names the sources for as long as the thread runs. */
  key: string;
  /** Null: the thread should have them by their key. */
  sources: Sources | null;
  variables: Variables;
}

export type Answer = Filling | 'unknown';
