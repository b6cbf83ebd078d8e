/**
 * Checks the result of every statement with declared columns (`src/db/columns.ts`) against its declaration, in all tests of a process with
 * a database. Compares the names and types of the columns as PostgreSQL reports them, and finds nulls that are not declared.
 */
import { CamelCasePlugin, type KyselyPlugin, type UnknownRow } from 'kysely';
import pg from 'pg';
import { type ColumnKinds, ResultColumns } from '../../src/db/columns.ts';

interface Field {
  name: string;
  dataTypeID: number;
}

/** PostgreSQL types by object id (`pg_type.dat`). `name` counts as text. Enumerations and domains are missing, because their ids vary. */
const TYPES = new Map([
  [16, 'bool'],
  [17, 'bytea'],
  [19, 'text'],
  [20, 'int8'],
  [21, 'int2'],
  [23, 'int4'],
  [25, 'text'],
  [114, 'json'],
  [701, 'float8'],
  [1000, 'bool[]'],
  [1001, 'bytea[]'],
  [1005, 'int2[]'],
  [1007, 'int4[]'],
  [1009, 'text[]'],
  [1016, 'int8[]'],
  [1022, 'float8[]'],
  [1082, 'date'],
  [1184, 'timestamptz'],
  [1700, 'numeric'],
  [2950, 'uuid'],
  [2951, 'uuid[]'],
  [3802, 'jsonb'],
]);
/** The first object id of types that a database defines itself, such as enumerations. */
const FIRST_OWN = 16_384;

const faults: string[] = [];
const fieldsOf = new WeakMap<object, readonly Field[]>();
/** Kysely's plugin for converting column names to property names. */
const camelCase = new (class extends CamelCasePlugin {
  of(name: string): string {
    return this.camelCase(name);
  }
})();

/** Differences between a result and its declaration. */
function faultsOf(kinds: ColumnKinds, fields: readonly Field[], rows: readonly UnknownRow[]): string[] {
  const found = new Map(fields.map((field) => [camelCase.of(field.name), typeOf(field)]));
  const declared = new Map(
    Object.entries(kinds).map(([name, kind]) => [name, typeof kind === 'string' ? kind : kind.kind]),
  );
  const names = new Set([...found.keys(), ...declared.keys()]);
  return [...names].flatMap((name) => {
    const [is, kind] = [found.get(name), declared.get(name)];
    if (kind === undefined) return [`${name} is not declared`];
    if (is === undefined) return [`${name} is not returned`];
    const type = kind.replaceAll('?', '');
    if (is !== type) return [`${name} is declared as ${type}, and is ${is}`];
    if (!kind.endsWith('?') && rows.some((row) => row[name] === null))
      return [`${name} is null, and declared as never null`];
    if (type.endsWith('[]') && !kind.includes('?[]') && rows.some((row) => hasNull(row[name])))
      return [`${name} contains a null, and is declared as a list without nulls`];
    // The library pg returns the timestamp infinity as a number.
    return type === 'timestamptz' && rows.some((row) => typeof row[name] === 'number')
      ? [`${name} is infinity, and declared as a date`]
      : [];
  });
}

function hasNull(list: unknown): boolean {
  return Array.isArray(list) && list.includes(null);
}

function typeOf({ dataTypeID }: Field): string {
  return TYPES.get(dataTypeID) ?? (dataTypeID >= FIRST_OWN ? 'text' : `of type ${dataTypeID}`);
}

/** Removes and returns the faults since the last call. Faults that no test has removed make the process fail at its end. */
export function takeFaults(): string[] {
  return faults.splice(0);
}

function checking(kinds: ColumnKinds): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const fields = fieldsOf.get(result.rows);
      if (fields === undefined) throw new Error('The columns of this result were not recorded');
      const found = faultsOf(kinds, fields, result.rows);
      if (found.length === 0) return result;
      const error = new Error(`A statement does not return its declared columns: ${found.join('; ')}`);
      faults.push(error.stack ?? error.message);
      throw error;
    },
  };
}

/** Checks all results in this process from now on. */
export function checkResults(): void {
  const reading: { addFields(this: pg.Result, fields: readonly Field[]): void } = pg.Result
    .prototype as never;
  const { addFields } = reading;
  reading.addFields = function (fields) {
    addFields.call(this, fields);
    fieldsOf.set(this.rows, fields);
  };

  // Kysely's plugin returns copies of the rows, so the columns must be recorded for the copies too.
  const { transformResult } = CamelCasePlugin.prototype;
  CamelCasePlugin.prototype.transformResult = async function (args) {
    const renamed = await transformResult.call(this, args);
    const fields = fieldsOf.get(args.result.rows);
    if (fields !== undefined) fieldsOf.set(renamed.rows, fields);
    return renamed;
  };

  const { sql: declare } = ResultColumns.prototype;
  ResultColumns.prototype.sql = function (...statement) {
    return declare.apply(this, statement).withPlugin(checking(this.kinds));
  };

  process.once('exit', () => {
    if (faults.length === 0) return;
    process.stderr.write(`${faults.join('\n')}\n`);
    process.exitCode = 1;
  });
}
