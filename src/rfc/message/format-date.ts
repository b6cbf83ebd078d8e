/** The value of a Date field, in whole seconds (RFC 5322, section 3.3). `toUTCString` is in English in every locale (ECMAScript). */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
