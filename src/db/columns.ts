/** Result rows of raw statements. Their columns are declared once, as a value: the type of the rows follows from it, and tests hold each statement to it. */
import { type RawBuilder, sql } from 'kysely';

/** How pg reads a value, by the name that PostgreSQL gives its type. */
interface ReadAs {
  uuid: string;
  /** An enumeration, too. */
  text: string;
  int2: number;
  int4: number;
  /** Text, so that no digit is lost. */
  int8: string;
  float8: number;
  /** Text, as `int8`: what `sum` makes of an int8, or `extract`. */
  numeric: string;
  bool: boolean;
  bytea: Buffer;
  timestamptz: Date;
  date: Date;
  json: unknown;
  jsonb: unknown;
  'uuid[]': string[];
  'text[]': string[];
  /** Lists that may have nulls. */
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
/** With a question mark: the value may be null. */
type ColumnKind = ColumnType | `${ColumnType}?`;

/** A column of which more is known than how it is read: its texts are those of a union, or its JSON has a shape. */
export interface ShapedColumn<Value> {
  readonly kind: ColumnKind;
  /** For the compiler alone. */
  readonly value?: Value;
}

type KindFor<Value> = {
  [Type in ColumnType]: [NonNullable<Value>] extends [ReadAs[Type]]
    ? null extends Value
      ? `${Type}?`
      : Type
    : never;
}[ColumnType];

/** A column that is read as such values. */
export function shaped<Value>(kind: KindFor<Value>): ShapedColumn<Value> {
  return { kind };
}

/** By the names of properties, which are those of the columns in camelCase. */
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

/** The row of declared columns. */
export type RowOf<Columns extends ResultColumns<ColumnKinds>> = RowWith<Columns['kinds']>;

export class ResultColumns<Kinds extends ColumnKinds> {
  readonly kinds: Kinds;

  constructor(kinds: Kinds) {
    this.kinds = kinds;
  }

  /** As the tag of Kysely, for a statement that returns these columns, in any order. */
  sql(fragments: TemplateStringsArray, ...parameters: unknown[]): RawBuilder<RowWith<Kinds>> {
    return sql<RowWith<Kinds>>(fragments, ...parameters);
  }
}

/** The columns of the outer side of a join: each may be null. */
export function outer<Kinds extends ColumnKinds>(
  kinds: Kinds,
): { readonly [Name in keyof Kinds]: ShapedColumn<ValueOf<Kinds[Name]> | null> } {
  const kindOf = (kind: ColumnKind | ShapedColumn<unknown>) => (typeof kind === 'string' ? kind : kind.kind);
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, { kind: `${kindOf(kind).replace(/\?$/, '')}?` }]),
  ) as never;
}

/** `rowsOf` (rows.ts) for the other direction: what a statement returns. */
export function columnsOf<const Kinds extends ColumnKinds>(kinds: Kinds): ResultColumns<Kinds> {
  return new ResultColumns(kinds);
}
