type Times = Readonly<Record<string, number | readonly number[]>>;

/**
 * Makes times constant: the compiler rejects assignments. If a test could change a time, it would change it for the tests that run later in
 * the process too. Code that tests must run with other times has an option `timings` instead. Its default are these times, and it accepts
 * others because their type is `number`, not a literal type.
 */
export function fixed<Values extends Times>(
  values: Values,
): { readonly [Name in keyof Values]: Readonly<Values[Name]> } {
  return values;
}
