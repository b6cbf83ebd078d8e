/** The value of a Date field, to the second (RFC 5322, section 3.3). ECMAScript defines `toUTCString` to be in English in every locale. */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
