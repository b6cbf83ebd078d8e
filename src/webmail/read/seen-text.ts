/** What is in a text and not seen, but for spaces: controls, and what joins, parts or turns letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** A text as people see it, for who looks for something in it. Attack: a name or an address with signs in it that only programs see. */
export function seenText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').normalize('NFKC').trim();
}
