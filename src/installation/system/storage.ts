/** Reads the used space of the disk, the database and its tables. */
import { statfs } from 'node:fs/promises';
import type { SystemStorage } from '../../contract/dashboard/system.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';

const MAX_TABLES = 30;
const MAX_PARTITIONS = 12;

export interface StorageOptions {
  host: string;
  dataDir: string;
  blobs: 'files' | 'bucket';
}

const TABLE = columnsOf({
  name: 'text',
  partitions: 'int4',
  rows: 'float8?',
  bytes: 'float8',
  largest: shaped<SystemStorage['tables'][number]['largest']>('json'),
});
const TOTALS = columnsOf({ bytes: 'float8', blobs: 'float8?', kept: 'float8' });

export async function readStorage(
  database: Database,
  { host, dataDir, blobs }: StorageOptions,
): Promise<SystemStorage> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const { rows: tables } = await TABLE.sql`
    with parts as materialized (
      select coalesce(p.relname, c.relname) as root, c.relname as name, p.oid is not null as is_partition,
        nullif(c.reltuples, -1)::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes
      from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    ), roots as (
      select root as name, count(*) filter (where is_partition)::int as partitions, sum(rows) as rows, sum(bytes) as bytes
      from parts group by root order by bytes desc, root limit ${MAX_TABLES}
    )
    select r.name, r.partitions, round(r.rows)::float8 as rows, r.bytes, coalesce(l.largest, '[]') as largest
    from roots r, lateral (
      select json_agg(json_build_object('name', name, 'rows', round(rows), 'bytes', bytes) order by bytes desc) as largest
      from (select name, rows, bytes from parts where root = r.name and is_partition order by bytes desc limit ${MAX_PARTITIONS}) p
    ) l order by r.bytes desc, r.name`.execute(database);
  const { rows: totals } = await TOTALS.sql`
    select pg_database_size(current_database())::float8 as bytes,
      (select round(sum(nullif(c.reltuples, -1)))::float8 from pg_class c
        where c.oid = to_regclass('blobs') or c.oid in (select inhrelid from pg_inherits where inhparent = to_regclass('blobs'))) as blobs,
      (select coalesce(sum(storage_bytes), 0)::float8 from projects) as kept`.execute(database);
  const [total] = totals;
  return {
    disk: { host, folder: dataDir, free_bytes: bavail * bsize, total_bytes: blocks * bsize },
    database_bytes: total?.bytes ?? 0,
    tables,
    blobs: {
      place: blobs,
      rows: total?.blobs ?? null,
      kept_bytes: Math.max(total?.kept ?? 0, 0),
    },
  };
}
