/** Converts rows to response bodies. */
import type { Static, TObject } from 'typebox';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The row for a body: the members of the body in camelCase, with times (`..._at`) as dates. */
type RowOf<Body> = {
  readonly [Name in keyof Body & string as CamelCase<Name>]: Name extends `${string}_at`
    ? Date | Extract<Body[Name], null>
    : Body[Name];
};

/**
 * Creates a function that converts rows to bodies. A body has exactly the members of the schema, in the schema's order. Times become text
 * (ISO 8601, UTC).
 */
export function bodyOf<Schema extends TObject>(schema: Schema) {
  const members = Object.keys(schema.properties).map((name) => {
    return [name, name.replaceAll(/_./g, ([, letter = '']) => letter.toUpperCase())] as const;
  });
  return (row: RowOf<Static<Schema>>): Static<Schema> => {
    const body = members.map(([name, column]): [string, unknown] => {
      const value: unknown = Reflect.get(row, column);
      return [name, value instanceof Date ? value.toISOString() : value];
    });
    return Object.fromEntries(body) as Static<Schema>;
  };
}
