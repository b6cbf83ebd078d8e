const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text without what nobody sees of it (controls, and what joins, parts or turns letters), and with its compatibility forms as what they look like.
 * Attack: a name or an address with signs in it that only programs see, or with dots of another kind.
 */
export function withoutUnseen(text: string): string {
  return text.replaceAll(UNSEEN, '').normalize('NFKC');
}
