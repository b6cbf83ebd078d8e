type Times = Readonly<Record<string, number | readonly number[]>>;

/**
 * Times that the compiler lets no one change. A part that tests run with other times takes them as an input, `timings`, with these as
 * its default: a time that one test changed for the whole process would be that of the tests after it. Each is of type `number`, not of
 * its value.
 */
export function fixed<Values extends Times>(
  values: Values,
): { readonly [Name in keyof Values]: Readonly<Values[Name]> } {
  return values;
}
