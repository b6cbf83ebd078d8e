/** Reads the tables from the catalog of the database, so that a new table is automatically in the next backup. */
import pg from 'pg';
import { inTheirOrder, type Partition } from '../../db/partition-changes.ts';

/**
 * Tables that no backup contains. All other tables are backed up. The rows of `processes`, `sign_in_guesses` and `credential_changes` are
 * valid only for a short time and only in one cluster. Sessions, links, and mail with links are omitted, because sessions and links that
 * have ended since the backup must not work again. Rows of the other omitted tables are created again after a restore.
 */
export const EXCLUDED_TABLES: readonly string[] = [
  'processes',
  'schema_changes',
  'search_segments',
  'email_segments',
  'email_words',
  'sign_in_guesses',
  'credential_changes',
  'sessions',
  'sign_in_links',
  'service_bodies',
];

export interface Table {
  name: string;
  /** The columns, without generated columns, which PostgreSQL computes. */
  columns: string[];
  /** The partitions, in order. Empty for a table without partitions. */
  partitions: Partition[];
}

interface CatalogTable extends Omit<Table, 'partitions'> {
  references: string[];
  bounds: { name: string; bounds: string }[];
}

/** Returns the tables, each after the tables that it references. Includes partitioned tables, but not their partitions. */
export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<CatalogTable>(`
    select c.relname as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      array(select f.relname::text from pg_constraint r join pg_class f on f.oid = r.confrelid
            where r.conrelid = c.oid and r.contype = 'f' and f.oid <> c.oid) as references,
      array(select json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid))
            from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid) as bounds
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`);
  return inOrder(rows.filter(({ name }) => !EXCLUDED_TABLES.includes(name)));
}

function inOrder(tables: readonly CatalogTable[]): Table[] {
  const ordered = new Map<string, Table>();
  const add = ({ name, columns, references, bounds }: CatalogTable): void => {
    if (ordered.has(name)) return;
    for (const table of tables) if (references.includes(table.name)) add(table);
    ordered.set(name, { name, columns, partitions: inTheirOrder(bounds) });
  };
  for (const table of tables) add(table);
  return [...ordered.values()];
}

/** Quotes names for a statement: `"id", "project_id"`. */
export function listOf(names: readonly string[]): string {
  return names.map((name) => pg.escapeIdentifier(name)).join(', ');
}

/** Settings for the text format of values, so that every version of PostgreSQL can read the output of every other version. */
export const FORMS = `
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'`;
