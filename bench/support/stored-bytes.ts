/** The bytes that PostgreSQL writes to its log and stores in tables, for the parts that count bytes. */
import type { Product } from './product.ts';

/** Bytes by table. The partitions of a table count as one table. */
export type BytesByTable = ReadonlyMap<string, number>;

/** The name of the table of a relation `c`: of a partition its parent, of an index or a TOAST table its owner. */
const TABLE = `
  coalesce(
    (select p.inhparent::regclass::text from pg_inherits p where p.inhrelid = t.table_id),
    t.table_id::regclass::text)`;
const TABLES = `
  select c.oid, c.relfilenode, coalesce(
    (select i.indrelid from pg_index i where i.indexrelid = c.oid),
    (select o.oid from pg_class o where o.reltoastrelid = c.oid),
    (select o.oid from pg_index i join pg_class o on o.reltoastrelid = i.indrelid where i.indexrelid = c.oid),
    c.oid) as table_id
  from pg_class c where c.relkind in ('r', 'i', 't')`;

/** Vacuums the tables, then returns the size of each table with its indexes and its TOAST table. */
export async function sizesOf(product: Product, tables: readonly string[]): Promise<BytesByTable> {
  // Twice, because the second vacuum removes index entries that a concurrent snapshot preserved in the first.
  for (const table of [...tables, ...tables]) await product.query(`vacuum ${table}`);
  const rows = await product.query<{ name: string; bytes: number }>(`
    select name, sum(pg_total_relation_size(id))::float8 as bytes
    from unnest(array['${tables.join("', '")}']) name, lateral (
      select relid as id from pg_partition_tree(name::regclass) where isleaf
      union select name::regclass where not exists (select from pg_partition_tree(name::regclass))
    ) relation
    group by name`);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** A range of the write-ahead log, as counted by `logBytes`. */
export interface LogBytes {
  /** All bytes of the range, with the headers of log pages. */
  total: number;
  /** The bytes of full-page images, which are written for the first change to a page after a checkpoint. */
  fullPages: number;
  byTable: BytesByTable;
  /** For each table, the number of updates and how many of them were heap-only. */
  updates: ReadonlyMap<string, { all: number; heapOnly: number }>;
}

/** Runs `work`, and reads the bytes that were written to the write-ahead log in the meantime. */
export async function logBytes(product: Product, work: () => Promise<void>): Promise<LogBytes> {
  await product.query('create extension if not exists pg_walinspect');
  const from = await logEnd(product);
  await work();
  const to = await logEnd(product);
  const rows = await product.query<
    Record<'bytes' | 'images' | 'updates' | 'hot', number> & { name: string }
  >(`
    with blocks as (
      select distinct on (start_lsn) start_lsn, relfilenode, record_length, record_type,
        sum(block_fpi_length) over (partition by start_lsn) as images
      from pg_get_wal_block_info('${from}', '${to}', false) order by start_lsn, block_id
    )
    select ${TABLE} as name, sum(record_length)::float8 as bytes, sum(images)::float8 as images,
      count(*) filter (where record_type ~ 'UPDATE')::float8 as updates,
      count(*) filter (where record_type ~ 'HOT_UPDATE')::float8 as hot
    from blocks b join (${TABLES}) t on t.relfilenode = b.relfilenode
    group by 1`);
  const [length] = await product.query<{ total: number }>(
    `select pg_wal_lsn_diff('${to}', '${from}')::float8 as total`,
  );
  return {
    total: length?.total ?? 0,
    fullPages: rows.reduce((sum, { images }) => sum + images, 0),
    byTable: new Map(rows.map(({ name, bytes }) => [name, bytes])),
    updates: new Map(rows.map(({ name, updates, hot }) => [name, { all: updates, heapOnly: hot }])),
  };
}

async function logEnd(product: Product): Promise<string> {
  const [end] = await product.query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn');
  return end?.lsn ?? '';
}

/** The largest of the tables, as bytes each, for a row's note. */
export function formatBytes(bytes: BytesByTable, count: number): string {
  return [...bytes]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([name, each]) => `${name} ${Math.round(each / count)}`)
    .join(', ');
}

const SHOWN = 8;
