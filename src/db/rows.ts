/** Batches as rows of a statement. */
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

/** One for each type of a column, by the name that PostgreSQL gives the type. */
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

/** For each column its type, and how to get its value from a row. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export interface BatchRows<Row> {
  /** The names of the columns, as an insert lists them. */
  readonly names: RawBuilder<unknown>;
  /** The columns as a select lists them, in the same order. */
  readonly values: RawBuilder<unknown>;
  /** For a from clause: `unnest($1::uuid[], $2::int2[]) as k (project_id, n)`. */
  from(rows: readonly Row[]): RawBuilder<unknown>;
}

/**
 * How a batch is handed to a statement. One object gives the list of arrays and the names of the columns, so the two cannot
 * differ.
 * @param alias what the statement calls the rows
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
 * What the array holds. Lists go as text: PostgreSQL would take an array of arrays apart into single elements. So do types
 * whose number differs from database to database.
 */
function elementOf(type: Type): string {
  return type.endsWith('[]') || type === 'date' || type === 'stream' ? 'text' : type;
}
