/** The value of a Date field, to the second (RFC 5322, section 3.3). ECMAScript fixes the form of `toUTCString`, in English whatever the locale. */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
