type Times = Readonly<Record<string, number | readonly number[]>>;

/**
 * Makes times constant: the compiler rejects assignments. A test that changed a time for the whole process would also change it for later
 * tests. Code that tests run with other times has an option `timings` instead, which defaults to these times. The type of each time is
 * `number` instead of a literal type.
 */
export function fixed<Values extends Times>(
  values: Values,
): { readonly [Name in keyof Values]: Readonly<Values[Name]> } {
  return values;
}
