import type { TemplateStarterList } from '../../../../src/contract/dashboard/templates.ts';

export type Starter = TemplateStarterList['data'][number];

/** The starter whose words the name of a new template contains most often, or the first one without any. */
export function suggestedStarter(name: string, starters: readonly Starter[]): Starter | undefined {
  const words = new Set(name.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  let best = starters[0];
  let most = 0;
  for (const starter of starters) {
    const count = starter.words.filter((word) => words.has(word)).length;
    if (count > most) [best, most] = [starter, count];
  }
  return best;
}
