const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Removes invisible characters (control characters, and characters that join, separate or reverse letters), and replaces compatibility
 * characters by the characters that they resemble. Attack: a name or an address with invisible characters or unusual dots.
 */
export function withoutUnseen(text: string): string {
  return text.replaceAll(UNSEEN, '').normalize('NFKC');
}
