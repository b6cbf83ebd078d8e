/** A word of a list and its position in a text. */
export interface WordMatch {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Parses a list of words separated by commas. A `*` at the beginning or end of a word matches any characters there. */
export function words(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}

/**
 * Finds the whole words of a list in a lower-case text, in order. Takes time proportional to the length of the text times the length of the
 * list.
 */
export function findWords(text: string, list: readonly string[]): WordMatch[] {
  const found: WordMatch[] = [];
  for (const word of list) {
    const core = word.replaceAll('*', '');
    const isSpaced = !UNSPACED.test(core);
    for (let at = text.indexOf(core); at !== -1; at = text.indexOf(core, at + core.length)) {
      let start = at;
      let end = at + core.length;
      if (word.startsWith('*')) while (isLetter(text, start - 1)) start -= 1;
      if (word.endsWith('*')) while (isLetter(text, end)) end += 1;
      if (!isSpaced || (!isLetter(text, start - 1) && !isLetter(text, end))) found.push({ word, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Scripts that have no spaces between words. */
const UNSPACED = /^[\u3040-\u9fff\uac00-\ud7af]/;
const LETTER = /[\p{L}\p{N}]/u;

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return code > 0 && LETTER.test(text[at] as string);
}
