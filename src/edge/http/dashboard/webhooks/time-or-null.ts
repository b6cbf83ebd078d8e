/** A time of a request, checked by its schema. Null: none. */
export function timeOrNull(time: string | null | undefined): Date | null {
  return time === null || time === undefined ? null : new Date(time);
}
