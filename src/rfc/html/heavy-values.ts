/** Declarations over which a browser takes long, for what it draws or reckons for each of many elements. */

/** What is there is drawn once more, on a ground of its own. */
const PAINTING =
  /^(?:-\w+-)?(?:filter|backdrop-filter|will-change|(?:mix|background)-blend-mode|isolation|mask(?:-.*)?|clip-path|shape-.*|box-reflect|transform(?:-.*)?|translate|rotate|scale|perspective(?:-.*)?|backface-visibility|offset(?:-.*)?|contain|text-shadow|text-stroke(?:-.*)?|text-emphasis(?:-.*)?)$/;
const SHADOW = /^(?:-\w+-)?box-shadow$/;
const MAX_SHADOWS = 4;
/** What a shadow is made of beside colours: lengths up to 99 pixels. */
const OF_SHADOW = /^(?:|!?[a-z]+|-?\d{0,2}(?:\.\d{1,9})?(?:px|pt)?|-?[0-4]?(?:\.\d{1,9})?r?em)$/i;
const COLOUR = /#[0-9a-f]+|(?:rgb|hsl)a?\([^()]*\)/gi;
const GRID = /^grid(?:-.*)?$/;
/** A number of places. */
const MANY = /(?<![\w.#])\d{3,}(?![\d.]*[a-z%])/i;
/** Characters of a value, but for addresses. */
const MAX_VALUE = 1_000;
/** The same of one that others take in. */
const MAX_TAKEN_IN = 100;
const GRADIENT = /gradient\(/gi;
const MAX_GRADIENTS = 4;
const TAKES_IN = /(?:var|env)\(/gi;
const MAX_TAKES_IN = 4;

/** @param property in lower case @param value with escapes undone @param urls characters of it that are addresses */
export function isHeavy(property: string, value: string, urls: number): boolean {
  const length = value.length - urls;
  if (PAINTING.test(property) || length > MAX_VALUE) return true;
  const gradients = countOf(value, GRADIENT);
  const takesIn = countOf(value, TAKES_IN);
  // Attack: one that takes in another twice, which does the same.
  if (property.startsWith('--')) return length > MAX_TAKEN_IN || gradients > 0 || takesIn > 0;
  if (gradients > MAX_GRADIENTS || takesIn > MAX_TAKES_IN) return true;
  if (SHADOW.test(property)) return takesIn > 0 || isLargeShadow(value);
  return GRID.test(property) && (takesIn > 0 || MANY.test(value));
}

function isLargeShadow(value: string): boolean {
  const shadows = value.replaceAll(COLOUR, '').split(',');
  return (
    shadows.length > MAX_SHADOWS ||
    !shadows.every((each) => each.split(/\s+/).every((word) => OF_SHADOW.test(word)))
  );
}

function countOf(value: string, pattern: RegExp): number {
  return value.match(pattern)?.length ?? 0;
}
