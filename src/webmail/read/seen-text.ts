/** What is in a text and not seen, but for spaces: controls, and what joins, parts or turns letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]/gu;

/** A text as people see it, for who looks for something in it. Attack: a name or an address with signs in it that only programs see. */
export function seenText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').normalize('NFKC').trim();
}
