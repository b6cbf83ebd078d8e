import type { Selector } from '../../../rfc/html/clean-style.ts';

/**
 * The maximum number of elements that a browser must check for all selectors of a message together. A browser takes two seconds for so many
 * checks. A large newsletter needs half as many.
 */
const BUDGET = 30_000_000;
/** A browser can check this many ancestors in the time that it takes to match one element. */
const AROUND = 4;
/** A browser can compare this many characters of attribute values in the time that it takes to match one element. */
const COMPARED = 20;
/** The average number of characters in a compound selector. */
const COMPOUND = 8;
const TAG = /<(\/?)([a-z][^\s/>]*)/gi;
const VOID = new Set('area base br col hr img input link meta param source track wbr'.split(' '));

/**
 * Attack: styles that freeze the page and the client around it. A browser matches each selector against each element, and descendant
 * selectors also against all ancestors of the element. Selectors beyond the budget are dropped. Takes time proportional to the length of
 * `html`.
 * @param html serialized as by a browser
 */
export function selectorBudget(html: string): (selector: Selector) => boolean {
  let elements = 0;
  let depth = 0;
  /** The sum of the depths of all elements. */
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
