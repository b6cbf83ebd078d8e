import { termsOf } from '../search-text.ts';
import { folded } from './folded.ts';

/** Operators whose value is a text that a message shows. */
const SHOWN = /^(?:from|to|cc|subject|filename):/i;
const OTHER = /^(?:has|before|after|in|is|larger|smaller|label):/i;

/** The words of a search that its results show, folded. */
export function foundWords(q: string): string[] {
  return termsOf(q)
    .filter((term) => !term.startsWith('-') && !OTHER.test(term))
    .map((term) => folded(term.replace(SHOWN, '').replaceAll('"', '')).text.trim())
    .filter((word) => word.length > 1);
}
