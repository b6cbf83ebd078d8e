/** Passes batches of rows to statements as parameters. */
import { type RawBuilder, sql } from 'kysely';
import {
  boolArray,
  byteaArray,
  int2Array,
  int4Array,
  int8Array,
  jsonArray,
  textArray,
  textArrayLiteral,
  timestampArray,
  uuidArray,
} from './arrays.ts';

/** The encoder for each column type, by PostgreSQL's name of the type. */
const ENCODERS = {
  uuid: uuidArray,
  text: textArray,
  int2: int2Array,
  int4: int4Array,
  int8: int8Array,
  bool: boolArray,
  bytea: byteaArray,
  timestamptz: timestampArray,
  json: jsonArray,
  date: textArray,
  stream: textArray,
  'text[]': (lists: readonly (readonly string[])[]) => textArray(lists.map(textArrayLiteral)),
  'int2[]': numberLists,
  'int4[]': numberLists,
} as const;

function numberLists(lists: readonly (readonly number[])[]): Buffer {
  return textArray(lists.map((list) => `{${list.join(',')}}`));
}

type Type = keyof typeof ENCODERS;
type ValueOf<Of extends Type> = Parameters<(typeof ENCODERS)[Of]>[0][number];
type Column<Row> = { [Of in Type]: readonly [type: Of, get: (row: Row) => ValueOf<Of>] }[Type];

/** For each column, its type and a function that returns its value from a row. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export interface BatchRows<Row> {
  /** The comma-separated column names, for an insert. */
  readonly names: RawBuilder<unknown>;
  /** The columns in the same order, for a select. */
  readonly values: RawBuilder<unknown>;
  /** For a FROM clause: `unnest($1::uuid[], $2::int2[]) as k (project_id, n)`. */
  from(rows: readonly Row[]): RawBuilder<unknown>;
}

/**
 * Defines how a batch is passed to a statement. One object determines both the arrays and the column names, so they cannot diverge.
 * @param alias name of the rows in the statement
 */
export function rowsOf<Row>(alias: string, columns: Columns<Row>): BatchRows<Row> {
  const names = Object.keys(columns);
  const encode = Object.values(columns).map(([type, get]) => {
    const cast = sql.raw(`::${elementOf(type)}[]`);
    const encoder = ENCODERS[type] as (values: readonly unknown[]) => Buffer;
    return (rows: readonly Row[]) => sql`${encoder(rows.map<unknown>((row) => get(row)))}${cast}`;
  });
  const as = sql.raw(`as ${alias} (${names.join(', ')})`);
  return {
    names: sql.raw(names.join(', ')),
    values: sql.raw(
      Object.entries(columns)
        .map(([name, [type]]) => (elementOf(type) === type ? name : `${name}::${type}`))
        .join(', '),
    ),
    from: (rows) => sql`unnest(${sql.join(encode.map((column) => column(rows)))}) ${as}`,
  };
}

/**
 * The element type of a column's array. Lists are passed as text, because PostgreSQL would flatten an array of arrays into single elements.
 * Types whose oid differs between databases are also passed as text.
 */
function elementOf(type: Type): string {
  return type.endsWith('[]') || type === 'date' || type === 'stream' ? 'text' : type;
}
