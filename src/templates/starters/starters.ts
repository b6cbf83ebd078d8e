/** The starters: complete templates from which users begin a new template (docs/templates.md, In the dashboard). */
import type { StarterKey } from '../../model/template-starters.ts';
import { ACCOUNT_STARTERS } from './account.ts';
import { ORDER_STARTERS } from './orders.ts';
import type { Starter, StarterContent } from './starter.ts';

const BLANK: StarterContent = {
  title: 'Blank',
  description: 'One sentence, to write everything yourself.',
  words: [],
  subject: 'Hello {{ name | default: "there" }}',
  html: '<p>Hello {{ name | default: "there" }},</p>\n',
  text: 'Hello {{ name | default: "there" }},\n',
  sample: { name: 'Ada' },
};

export const STARTERS: Readonly<Record<StarterKey, StarterContent>> = {
  blank: BLANK,
  ...ACCOUNT_STARTERS,
  ...ORDER_STARTERS,
};

export function starterOf(key: StarterKey): Starter {
  const { sample, ...content } = STARTERS[key];
  return { key, ...content, words: [...content.words], sample: JSON.stringify(sample, null, 2) };
}
