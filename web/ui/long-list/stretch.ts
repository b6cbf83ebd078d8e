/**
 * Scroll positions of lists that are taller than browsers allow elements to be. Near both ends a pixel of the page is
 * a pixel of the list. Between the two ends, the rest of the list is compressed into the rest of the page.
 */

/**
 * The maximum height of an element, in pixels. Firefox's limit is 17.8 million. Up to 2^24, every row position is exact
 * in the numbers that compositors use.
 */
export const MAX_HEIGHT = 16_000_000;
/** How many pixels at each end of the page are also exactly one pixel of the list. */
export const EDGE = 20_000;

/** The height of the element that contains the list. @param list the height of all rows together */
export function pageHeight(list: number): number {
  return Math.min(list, MAX_HEIGHT);
}

/**
 * The position in the list at the top of the viewport.
 * @param scrolled the scroll position, from the top of the element
 * @param list the height of all rows together
 * @param view the height of the viewport
 */
export function positionAt(scrolled: number, list: number, view: number): number {
  if (list <= MAX_HEIGHT || scrolled <= EDGE) return scrolled;
  if (scrolled >= MAX_HEIGHT - view - EDGE) return scrolled + list - MAX_HEIGHT;
  return Math.round(EDGE + (scrolled - EDGE) * stretch(list, view));
}

/** The scroll position that shows a position in the list: the inverse of `positionAt`. */
export function scrollFor(position: number, list: number, view: number): number {
  if (list <= MAX_HEIGHT || position <= EDGE) return position;
  if (position >= list - view - EDGE) return position + MAX_HEIGHT - list;
  return Math.round(EDGE + (position - EDGE) / stretch(list, view));
}

function stretch(list: number, view: number): number {
  return (list - view - 2 * EDGE) / (MAX_HEIGHT - view - 2 * EDGE);
}
