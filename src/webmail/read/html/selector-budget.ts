import type { Selector } from '../../../rfc/html/clean-style.ts';

/** Elements that a browser looks at, for all selectors of a message together: two seconds. A large newsletter has half of it. */
const BUDGET = 30_000_000;
/** Of those around an element that it looks at in that time. */
const AROUND = 4;
/** Characters of values that a browser compares in the time in which it looks at an element. */
const COMPARED = 20;
/** Characters of a selector that say something of one element. */
const COMPOUND = 8;
const TAG = /<(\/?)([a-z][^\s/>]*)/gi;
const VOID = new Set('area base br col hr img input link meta param source track wbr'.split(' '));

/**
 * Attack: styles with which a page stands still, and the client around it. A browser asks of each element whether each selector is about it, of what
 * is within something also all that is around it. What is more than can be asked in a short time applies to nothing.
 * @param html as a browser writes it. In time proportional to it
 */
export function selectorBudget(html: string): (selector: Selector) => boolean {
  let elements = 0;
  let depth = 0;
  /** How deep all elements are together. */
  let depths = 0;
  for (const [, isEnd, name = ''] of html.matchAll(TAG)) {
    if (isEnd !== '') depth = Math.max(0, depth - 1);
    else {
      elements++;
      depths += depth;
      if (!VOID.has(name.toLowerCase())) depth++;
    }
  }
  let left = BUDGET;
  return ({ length, count, descends, readsAttributes }) => {
    left -=
      elements * (count + length / COMPOUND) +
      (descends ? (depths / AROUND) * count : 0) +
      (readsAttributes ? (html.length / COMPARED) * count : 0);
    return left >= 0;
  };
}
