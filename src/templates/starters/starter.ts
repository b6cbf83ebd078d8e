import type { StarterKey } from '../../model/template-starters.ts';

export interface StarterContent {
  title: string;
  /** The purpose, in one line. */
  description: string;
  /** Words in names of templates for which this starter is suggested, in lower case. */
  words: readonly string[];
  subject: string;
  html: string;
  text: string;
  /** Values for all variables of the template. */
  sample: Readonly<Record<string, unknown>>;
}

export interface Starter extends Omit<StarterContent, 'sample' | 'words'> {
  key: StarterKey;
  words: string[];
  /** A JSON object. */
  sample: string;
}
