/** With the lookbehind, a match starts only at the start of a run. Attack: a long run in the middle of a text takes quadratic time. */
const BLANKS_AROUND = /^[ \t]+|(?<![ \t])[ \t]+$/g;

/** Removes only spaces and tabs (WSP) around a text; `trim` would remove more characters. Takes linear time. */
export function trimBlanks(text: string): string {
  return text.replace(BLANKS_AROUND, '');
}
