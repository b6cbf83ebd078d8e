/** Detects declarations that are expensive for a browser to compute or draw if they apply to many elements. */

/** Properties that make a browser draw the element again, on a separate layer. */
const PAINTING =
  /^(?:-\w+-)?(?:filter|backdrop-filter|will-change|(?:mix|background)-blend-mode|isolation|mask(?:-.*)?|clip-path|shape-.*|box-reflect|transform(?:-.*)?|translate|rotate|scale|perspective(?:-.*)?|backface-visibility|offset(?:-.*)?|contain|text-shadow|text-stroke(?:-.*)?|text-emphasis(?:-.*)?)$/;
const SHADOW = /^(?:-\w+-)?box-shadow$/;
const MAX_SHADOWS = 4;
/** The words of a cheap shadow, besides colors: keywords, and lengths up to 99 pixels. */
const OF_SHADOW = /^(?:|!?[a-z]+|-?\d{0,2}(?:\.\d{1,9})?(?:px|pt)?|-?[0-4]?(?:\.\d{1,9})?r?em)$/i;
const COLOR = /#[0-9a-f]+|(?:rgb|hsl)a?\([^()]*\)/gi;
const GRID = /^grid(?:-.*)?$/;
/** A count of rows or columns that has at least three digits. */
const MANY = /(?<![\w.#])\d{3,}(?![\d.]*[a-z%])/i;
/** The maximum length of a value, without URLs. */
const MAX_VALUE = 1_000;
/** The maximum length of a custom property, which many other values may reference. */
const MAX_CUSTOM_PROPERTY = 100;
const GRADIENT = /gradient\(/gi;
const MAX_GRADIENTS = 4;
const REFERENCE = /(?:var|env)\(/gi;
const MAX_REFERENCES = 4;

/** @param property in lower case @param value with escapes decoded @param urls the number of characters in URLs within the value */
export function isHeavy(property: string, value: string, urls: number): boolean {
  const length = value.length - urls;
  if (PAINTING.test(property) || length > MAX_VALUE) return true;
  const gradients = countOf(value, GRADIENT);
  const references = countOf(value, REFERENCE);
  // Attack: each custom property references the next custom property twice, so that the value grows exponentially.
  if (property.startsWith('--')) return length > MAX_CUSTOM_PROPERTY || gradients > 0 || references > 0;
  if (gradients > MAX_GRADIENTS || references > MAX_REFERENCES) return true;
  if (SHADOW.test(property)) return references > 0 || isLargeShadow(value);
  return GRID.test(property) && (references > 0 || MANY.test(value));
}

function isLargeShadow(value: string): boolean {
  const shadows = value.replaceAll(COLOR, '').split(',');
  return (
    shadows.length > MAX_SHADOWS ||
    !shadows.every((each) => each.split(/\s+/).every((word) => OF_SHADOW.test(word)))
  );
}

function countOf(value: string, pattern: RegExp): number {
  return value.match(pattern)?.length ?? 0;
}
