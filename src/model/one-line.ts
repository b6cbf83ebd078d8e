/**
 * Control characters and line separators. Attack: some parsers take these characters for a line break, so that the rest of a value becomes
 * a header field of its own.
 */
const BREAKS_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** @returns an error message for a text that must be one line, or null if it is valid */
export function oneLineFault(text: string): string | null {
  return BREAKS_LINE.test(text) ? 'must not contain line breaks or other control characters' : null;
}
