/** Compares texts as the search does: without case and accents. */

export interface Folded {
  text: string;
  /** For each character of `text`, its position in the original text; then the length of the original text. */
  positions: readonly number[];
}

const ACCENTS = /\p{M}/gu;

export function folded(original: string): Folded {
  let text = '';
  const positions: number[] = [];
  let at = 0;
  for (const character of original) {
    const plain = character.normalize('NFKD').replace(ACCENTS, '').toLowerCase().replaceAll('ß', 'ss');
    text += plain;
    for (let n = 0; n < plain.length; n++) positions.push(at);
    at += character.length;
  }
  positions.push(at);
  return { text, positions };
}

/** The ranges of the original text that match a word, from the first character to after the last. */
export function matchesIn(original: string, words: readonly string[]): [from: number, to: number][] {
  const { text, positions } = folded(original);
  const ranges: [number, number][] = [];
  for (const word of words)
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      const end = at + word.length;
      const last = positions[end - 1] ?? 0;
      // A character that becomes several, such as ß, is marked as a whole.
      const next = positions.slice(end).find((position) => position > last) ?? original.length;
      ranges.push([positions[at] ?? 0, next]);
    }
  return ranges;
}
