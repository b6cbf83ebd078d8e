/** Rows as the bodies of answers. */
import type { Static, TObject } from 'typebox';

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** What a body is made of: its members in camelCase, times (`..._at`) as dates. */
type RowOf<Body> = {
  readonly [Name in keyof Body & string as CamelCase<Name>]: Name extends `${string}_at`
    ? Date | Extract<Body[Name], null>
    : Body[Name];
};

/**
 * Makes bodies from rows: the members that the schema names, in its order, and nothing else that a row has. Times become
 * text (ISO 8601, UTC).
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
