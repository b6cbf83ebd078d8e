/** Controls and line separators. Some readers take them for a line break, which in a header begins another field. */
const BREAKS_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** What is wrong with a text that must be one line; null when nothing is. */
export function oneLineFault(text: string): string | null {
  return BREAKS_LINE.test(text) ? 'must not hold line breaks or other control characters' : null;
}
