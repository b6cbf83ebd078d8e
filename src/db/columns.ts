/**
 * Result rows of raw statements. Columns are declared once, as a value. The row type is derived from this value, and tests check that each
 * statement returns the declared columns.
 */
import { type RawBuilder, sql } from 'kysely';

/** The TypeScript type in which pg returns a value, by PostgreSQL's name of the column type. */
interface ReadAs {
  uuid: string;
  /** Text or an enum. */
  text: string;
  int2: number;
  int4: number;
  /** Text, because a number would lose digits. */
  int8: string;
  float8: number;
  /** Text, like `int8`. `extract`, and `sum` of an int8, return this type. */
  numeric: string;
  bool: boolean;
  bytea: Buffer;
  timestamptz: Date;
  date: Date;
  json: unknown;
  jsonb: unknown;
  'uuid[]': string[];
  'text[]': string[];
  /** An array that may contain nulls. */
  'uuid?[]': (string | null)[];
  'text?[]': (string | null)[];
  'int2[]': number[];
  'int4[]': number[];
  'int8[]': string[];
  'float8[]': number[];
  'bool[]': boolean[];
  'bytea[]': Buffer[];
}
type ColumnType = keyof ReadAs;
/** A question mark means that the value may be null. */
type ColumnKind = ColumnType | `${ColumnType}?`;

/** A column with a narrower type than its kind, such as text from a union, or JSON with a known shape. */
export interface ShapedColumn<Value> {
  readonly kind: ColumnKind;
  /** Never set at run time. Gives the compiler the type of the column. */
  readonly value?: Value;
}

type KindFor<Value> = {
  [Type in ColumnType]: [NonNullable<Value>] extends [ReadAs[Type]]
    ? null extends Value
      ? `${Type}?`
      : Type
    : never;
}[ColumnType];

/** Declares a column with a narrower type. */
export function shaped<Value>(kind: KindFor<Value>): ShapedColumn<Value> {
  return { kind };
}

/** Column kinds by property name, which is the camelCase form of the column name. */
export type ColumnKinds = Readonly<Record<string, ColumnKind | ShapedColumn<unknown>>>;

type ValueOf<Of> =
  Of extends ShapedColumn<infer Value>
    ? Value
    : Of extends ColumnType
      ? ReadAs[Of]
      : Of extends `${infer Type extends ColumnType}?`
        ? ReadAs[Type] | null
        : never;

type RowWith<Kinds extends ColumnKinds> = { -readonly [Name in keyof Kinds]: ValueOf<Kinds[Name]> };

/** The row type of declared columns. */
export type RowOf<Columns extends ResultColumns<ColumnKinds>> = RowWith<Columns['kinds']>;

export class ResultColumns<Kinds extends ColumnKinds> {
  readonly kinds: Kinds;

  constructor(kinds: Kinds) {
    this.kinds = kinds;
  }

  /** Works like Kysely's `sql` tag, for a statement that returns these columns in any order. */
  sql(fragments: TemplateStringsArray, ...parameters: unknown[]): RawBuilder<RowWith<Kinds>> {
    return sql<RowWith<Kinds>>(fragments, ...parameters);
  }
}

/** The given columns as nullable, for the optional side of an outer join. */
export function outer<Kinds extends ColumnKinds>(
  kinds: Kinds,
): { readonly [Name in keyof Kinds]: ShapedColumn<ValueOf<Kinds[Name]> | null> } {
  const kindOf = (kind: ColumnKind | ShapedColumn<unknown>) => (typeof kind === 'string' ? kind : kind.kind);
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, { kind: `${kindOf(kind).replace(/\?$/, '')}?` }]),
  ) as never;
}

/** Declares the columns that a statement returns. `rowsOf` (rows.ts) is its counterpart for parameters. */
export function columnsOf<const Kinds extends ColumnKinds>(kinds: Kinds): ResultColumns<Kinds> {
  return new ResultColumns(kinds);
}
