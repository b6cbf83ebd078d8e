/** The starters: complete templates from which users begin a new template (docs/templates.md, In the dashboard). */
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

export const STARTERS = {
  blank: BLANK,
  ...ACCOUNT_STARTERS,
  ...ORDER_STARTERS,
} satisfies Record<string, StarterContent>;

export type StarterKey = keyof typeof STARTERS;
export const STARTER_KEYS = Object.keys(STARTERS) as StarterKey[];

export function starterOf(key: StarterKey): Starter {
  const { sample, ...content } = STARTERS[key];
  return { key, ...content, sample: JSON.stringify(sample, null, 2) };
}
