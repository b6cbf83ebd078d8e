const MAX_NAMED = 20;

/** The error message for missing variables. */
export function missing(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `missing: ${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
