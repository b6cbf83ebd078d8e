/**
 * Where a list is scrolled to that is higher than browsers make an element. Near both ends a pixel of the page is a pixel of
 * the list; between them the page's are stretched over what is left.
 */

/** In px. Firefox ends at 17.8 million; up to 2^24 every place of a row is exact in the numbers that compositors use. */
export const MAX_HEIGHT = 16_000_000;
/** At both ends. */
export const EDGE = 20_000;

/** How high the element is. */
export function pageHeight(list: number): number {
  return Math.min(list, MAX_HEIGHT);
}

/**
 * What of the list is at the upper edge of the window.
 * @param scrolled from the top of the element
 * @param list how high all rows are together
 * @param view how high the window is
 */
export function placeAt(scrolled: number, list: number, view: number): number {
  if (list <= MAX_HEIGHT || scrolled <= EDGE) return scrolled;
  if (scrolled >= MAX_HEIGHT - view - EDGE) return scrolled + list - MAX_HEIGHT;
  return Math.round(EDGE + (scrolled - EDGE) * stretch(list, view));
}

/** How far the page is scrolled to show a place of the list: undoes `placeAt`. */
export function scrollFor(place: number, list: number, view: number): number {
  if (list <= MAX_HEIGHT || place <= EDGE) return place;
  if (place >= list - view - EDGE) return place + MAX_HEIGHT - list;
  return Math.round(EDGE + (place - EDGE) / stretch(list, view));
}

function stretch(list: number, view: number): number {
  return (list - view - 2 * EDGE) / (MAX_HEIGHT - view - 2 * EDGE);
}
