type Times = Readonly<Record<string, number | readonly number[]>>;

/**
 * Times that cannot be changed: the compiler rejects assignments. Code that tests run with other times takes an option `timings` with
 * these times as the default. If a test could change a time for the whole process, later tests would run with that time too. Each time has
 * the type `number`, not the type of its value.
 */
export function fixed<Values extends Times>(
  values: Values,
): { readonly [Name in keyof Values]: Readonly<Values[Name]> } {
  return values;
}
