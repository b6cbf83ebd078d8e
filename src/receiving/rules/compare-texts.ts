/** How rules compare texts: in normal form, in time proportional to the text. */
import type { RuleCondition } from '../../contract/rules.ts';
import { normalForm } from '../../store/search/normal-form.ts';

type How = Extract<RuleCondition, { value: string }>['how'];

/** @returns asks it of a text in normal form */
export function comparing(how: How, value: string): (text: string) => boolean {
  if (how === 'matches') return wildcard(value.split('*').map(normalForm));
  const wanted = normalForm(value).trim();
  // Attack, or an accident: what consists of characters without width alone would be in every text.
  if (wanted === '') return () => false;
  switch (how) {
    case 'contains':
      return (text) => text.includes(wanted);
    case 'is':
      return (text) => text === wanted;
    case 'starts':
      return (text) => text.startsWith(wanted);
  }
}

/** Each part is looked for once, behind the one before: no pattern makes the search go back. */
function wildcard(parts: readonly string[]): (text: string) => boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
