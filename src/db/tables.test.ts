/** Compares the types of tables.ts with the schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { testDatabase } from '../../test/support/postgres.ts';
import { columnsOf } from './columns.ts';

/** The TypeScript type in which pg returns each column type, by PostgreSQL's name of the type. */
const READ_AS: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  // Text, because a number would lose digits.
  int8: 'string',
  int2: 'number',
  int4: 'number',
  float8: 'number',
  bool: 'boolean',
  bytea: 'Buffer',
  timestamptz: 'Date',
  date: 'Date',
};
const SCALARS = new Set(Object.values(READ_AS));

/** Not in tables.ts, because `migrate.ts` writes these tables before it knows that the schema is current. */
const NOT_DECLARED = new Set(['schemaChanges']);

/** Splits text at a separator, except inside brackets. */
function split(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('{<([)>}]'.includes(character)) depth += '{<(['.includes(character) ? 1 : -1;
    if (depth === 0 && character === separator) parts.push('');
    else parts.push(`${parts.pop()}${character}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** @param body the text between the braces of an object type */
function membersOf(body: string): Map<string, string> {
  return new Map(
    split(body, ';').map((member) => {
      const [, name = '', type = ''] = /^(\w+): (.*)$/s.exec(member) ?? [];
      return [name, type];
    }),
  );
}

interface Declared {
  /** The type of a value that is read, without null. */
  type: string;
  isNullable: boolean;
  /** The members of the union type of an inserted value. `undefined` means that the value may be left out. */
  inserted: string[];
  /** The members of the union type of a value that is read. */
  read: string[];
}

function declared(text: string): Declared {
  const [, wrapper, inner = ''] = /^(Generated|ColumnType)<(.*)>$/s.exec(text) ?? [];
  const [read = '', insert = read] = wrapper === 'ColumnType' ? split(inner, ',') : [inner || text];
  const alternatives = split(read, '|');
  const inserted = split(insert, '|');
  const parts = alternatives.map((part) => (/^'.*'$/.test(part) ? 'string' : part));
  return {
    type: [...new Set(parts.filter((part) => part !== 'null'))].join(' | '),
    isNullable: parts.includes('null'),
    inserted: wrapper === 'Generated' ? [...inserted, 'undefined'] : inserted,
    read: alternatives,
  };
}

const MODEL = new URL('../model/', import.meta.url);

/** The values of a union of text or number literals. Null if the type is not such a union. */
async function valuesOf(type: string, source: string, folder: URL): Promise<Set<string> | null> {
  const values = new Set<string>();
  for (const part of split(type, '|').filter((each) => each !== 'null')) {
    const found = await valuesOfPart(part, source, folder);
    if (found === null) return null;
    for (const value of found) values.add(value);
  }
  return values;
}

async function valuesOfPart(part: string, source: string, folder: URL): Promise<Iterable<string> | null> {
  const [, text] = /^'(.*)'$/.exec(part) ?? [];
  if (text !== undefined) return [text];
  if (/^-?\d+$/.test(part)) return [part];
  const [, from = '', without = ''] = /^Exclude<(\w+), (.*)>$/.exec(part) ?? [];
  if (from !== '') {
    const [all, left] = [await valuesOf(from, source, folder), await valuesOf(without, source, folder)];
    return all === null || left === null ? null : new Set([...all].filter((value) => !left.has(value)));
  }
  const [, element] = /^\(typeof (\w+)\)\[number\]$/.exec(part) ?? [];
  const [, key] = /^keyof typeof (\w+)$/.exec(part) ?? [];
  const [, constant] = /^typeof (\w+)$/.exec(part) ?? [];
  const name = element ?? key ?? constant ?? part;
  if (!/^[A-Z]\w*$/.test(name)) return null;
  const [, path] = new RegExp(`import (?:type )?{[^}]*\\b${name}\\b[^}]*} from '([^']+)'`).exec(source) ?? [];
  if (path !== undefined) {
    const file = new URL(path, folder);
    if (!file.href.startsWith(MODEL.href)) return null;
    return valuesOfPart(part, readFileSync(file, 'utf8').replaceAll(`{ ${name} }`, ''), file);
  }
  if (part === name) {
    const [, definition] = new RegExp(`export type ${name} = ([^;]*);`).exec(source) ?? [];
    return definition === undefined ? null : valuesOf(definition, source, folder);
  }
  const { [name]: value }: Record<string, unknown> = await import(folder.href);
  if (constant !== undefined) return typeof value === 'string' ? [value] : null;
  return element === undefined ? Object.keys(value as object) : (value as readonly unknown[]).map(String);
}

function isReadAs(type: string, udtName: string): boolean {
  if (udtName.startsWith('_')) return type.endsWith('[]') && isReadAs(type.slice(0, -2), udtName.slice(1));
  const readAs = READ_AS[udtName];
  // A column type that is not in `READ_AS` is JSON, or a PostgreSQL enum that is read as text.
  if (readAs === undefined) return type === 'string' || !SCALARS.has(type);
  // A named type represents the texts or numbers that a check constraint allows.
  return type === readAs || (!SCALARS.has(type) && ['string', 'number'].includes(readAs));
}

const SOURCE = readFileSync(new URL('tables.ts', import.meta.url), 'utf8');

/** The declared type of each column as text, by table name. */
function declaredColumns(): Map<string, Map<string, string>> {
  const [, body = ''] = /export interface Tables \{(.*)\n\}/s.exec(SOURCE) ?? [];
  return new Map(
    [...membersOf(body.replaceAll(/\/\*\*.*?\*\//gs, ''))].map(([table, members]) => [
      table,
      membersOf(members.slice(1, -1)),
    ]),
  );
}

test('tables.ts declares every column of the schema with the right type, nullability and insert type', async () => {
  await using db = await testDatabase();
  const { rows } = await columnsOf({
    table: 'text',
    column: 'text',
    type: 'text',
    isNullable: 'bool',
    hasDefault: 'bool',
    isWritten: 'bool',
  }).sql`
    select table_name::text as table, column_name::text as column, udt_name::text as type, is_nullable = 'YES' as is_nullable,
      column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' as has_default,
      coalesce(identity_generation = 'ALWAYS', false) or is_generated = 'ALWAYS' as is_written
    from information_schema.columns
    join pg_class on pg_class.oid = format('%I.%I', table_schema, table_name)::regclass
    where table_schema = 'public' and not relispartition and relkind in ('r', 'p')
    order by table_name, ordinal_position`.execute(db.database);
  const unseen = declaredColumns();

  const differences: string[] = [];
  for (const { table, column, type, isNullable, hasDefault, isWritten } of rows) {
    const [tableName, name] = [camelCase(table), camelCase(column)];
    if (NOT_DECLARED.has(tableName)) continue;
    const text = unseen.get(tableName)?.get(name);
    unseen.get(tableName)?.delete(name);
    if (text === undefined) {
      differences.push(`${tableName}.${name} is not declared`);
      continue;
    }
    const is = declared(text);
    const says = `${tableName}.${name} is declared as ${text}`;
    if (!isReadAs(is.type, type)) differences.push(`${says}, and is ${type}`);
    if (is.isNullable !== isNullable)
      differences.push(`${says}, and ${isNullable ? 'may' : 'cannot'} be null`);
    if (is.inserted.includes('null') && !isNullable) differences.push(`${says}, and null cannot be inserted`);
    if (is.inserted.includes('undefined') && !hasDefault && !isNullable)
      differences.push(`${says}, and has no default`);
    if (is.inserted.includes('never') !== isWritten)
      differences.push(`${says}, and PostgreSQL ${isWritten ? 'alone writes it' : 'does not write it'}`);
    // The driver turns JavaScript arrays into PostgreSQL arrays, even for JSON columns, so JSON must be inserted as text.
    if (type.startsWith('json') && !isJsonText(is))
      differences.push(`${says}, and JSON is inserted as its text`);
  }
  for (const [table, columns] of unseen)
    for (const column of columns.keys()) differences.push(`${table}.${column} is not in the schema`);
  assert.deepEqual(differences, []);
});

/** Columns whose declared type has fewer values than the schema allows, and why the other values never occur. */
const FEWER = new Map([
  ['deliveries.status', 'a pending delivery is a row of due_deliveries'],
  ['emailContents.stream', 'the enum is shared with the queue, which also has mail of mailboxes'],
]);

test('a column whose values a check constraint or an enum limits is declared with the same values', async () => {
  await using db = await testDatabase();
  const { rows } = await columnsOf({ table: 'text', column: 'text', listed: 'text[]' }).sql`
    select c.relname::text as table, a.attname::text as column, array(
      select coalesce(quoted, bare) from regexp_matches(list, $re$'([^']*)'|(-?\\d+)$re$, 'g') m, lateral (select m[1], m[2]) v (quoted, bare)
    ) as listed
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid and not c.relispartition
    join pg_attribute a on a.attrelid = c.oid and k.conkey = array[a.attnum]
    cross join lateral substring(pg_get_constraintdef(k.oid) from ' = ANY \\(ARRAY\\[(.*?)\\]\\)') as list
    where k.contype = 'c' and c.relnamespace = 'public'::regnamespace and list is not null
    union all
    select c.relname, a.attname, array(select e.enumlabel::text from pg_enum e where e.enumtypid = a.atttypid)
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid and t.typtype = 'e'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`.execute(
    db.database,
  );
  const columns = declaredColumns();
  const differences: string[] = [];
  for (const { table, column, listed } of rows) {
    const [tableName, name] = [camelCase(table), camelCase(column)];
    const text = columns.get(tableName)?.get(name) ?? '';
    const values = await valuesOf(
      declared(text).read.join(' | '),
      SOURCE,
      new URL('tables.ts', import.meta.url),
    );
    const isMeant = FEWER.has(`${tableName}.${name}`)
      ? values !== null && [...values].every((value) => listed.includes(value))
      : isDeepStrictEqual(values, new Set(listed));
    if (!isMeant)
      differences.push(
        `${tableName}.${name} is declared as ${text}, but the schema allows ${listed.join(', ')}`,
      );
  }
  assert.ok(rows.length > 30, `only ${rows.length} columns were found`);
  assert.deepEqual(differences, []);
});

/** Whether the inserted type is text, which the driver cannot mistake for an array. */
function isJsonText({ inserted }: Declared): boolean {
  return inserted.every((part) => ['string', 'null', 'undefined', 'never'].includes(part));
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
