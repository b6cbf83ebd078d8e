/** The types of tables.ts are those of the schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';

/** How a column is read, by the name that PostgreSQL gives its type. */
const READ_AS: Readonly<Record<string, string>> = {
  uuid: 'string',
  text: 'string',
  // Text, so that no digit is lost.
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

/** `migrate.ts` writes them before it knows that the schema is this one. */
const NOT_DECLARED = new Set(['schemaChanges']);

/** Cuts at a separator that no bracket encloses. */
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

/** @param body what the braces of an object type enclose */
function membersOf(body: string): Map<string, string> {
  return new Map(
    split(body, ';').map((member) => {
      const [, name = '', type = ''] = /^(\w+): (.*)$/s.exec(member) ?? [];
      return [name, type];
    }),
  );
}

interface Declared {
  /** as it is read, without null */
  type: string;
  isNullable: boolean;
  isGenerated: boolean;
}

function declared(text: string): Declared {
  const [, wrapper, inner = ''] = /^(Generated|ColumnType)<(.*)>$/s.exec(text) ?? [];
  const [read = ''] = wrapper === undefined ? [text] : split(inner, ',');
  const parts = split(read, '|').map((part) => (/^'.*'$/.test(part) ? 'string' : part));
  return {
    type: [...new Set(parts.filter((part) => part !== 'null'))].join(' | '),
    isNullable: parts.includes('null'),
    isGenerated: wrapper === 'Generated',
  };
}

function isReadAs(type: string, udtName: string): boolean {
  if (udtName.startsWith('_')) return type.endsWith('[]') && isReadAs(type.slice(0, -2), udtName.slice(1));
  const readAs = READ_AS[udtName];
  // JSON, and texts that are a type in PostgreSQL too.
  if (readAs === undefined) return type === 'string' || !SCALARS.has(type);
  // A type with a name stands for the texts or numbers that a check allows.
  return type === readAs || (!SCALARS.has(type) && ['string', 'number'].includes(readAs));
}

test('tables.ts has every table and column of the schema, with its type, whether it may be null and whether it has a default', async () => {
  await using db = await testDatabase();
  const { rows } = await sql<{
    table: string;
    column: string;
    type: string;
    isNullable: boolean;
    hasDefault: boolean;
  }>`
    select table_name as table, column_name as column, udt_name as type, is_nullable = 'YES' as is_nullable,
      column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' as has_default
    from information_schema.columns
    join pg_class on pg_class.oid = format('%I.%I', table_schema, table_name)::regclass
    where table_schema = 'public' and not relispartition and relkind in ('r', 'p')
    order by table_name, ordinal_position`.execute(db.database);
  const source = readFileSync(new URL('tables.ts', import.meta.url), 'utf8');
  const [, body = ''] = /export interface Tables \{(.*)\n\}/s.exec(source) ?? [];
  const unseen = new Map(
    [...membersOf(body.replaceAll(/\/\*\*.*?\*\//gs, ''))].map(([table, members]) => [
      table,
      membersOf(members.slice(1, -1)),
    ]),
  );

  const differences: string[] = [];
  for (const { table, column, type, isNullable, hasDefault } of rows) {
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
    if (is.isGenerated && !hasDefault && !isNullable) differences.push(`${says}, and has no default`);
  }
  for (const [table, columns] of unseen)
    for (const column of columns.keys()) differences.push(`${table}.${column} is not in the schema`);
  assert.deepEqual(differences, []);
});

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
