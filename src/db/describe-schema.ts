/** Describes a schema as text, to compare it with another schema on the same server. */
import type pg from 'pg';

/** Object definitions by kind and name, such as `column emails.id`. */
export type SchemaDescription = ReadonlyMap<string, string>;

/**
 * Describes the tables, columns, constraints, indexes, triggers, functions and types of the current schema. The description does not depend
 * on object ids, the name of the schema or the order of columns. For a partitioned table, the description contains only the last partition,
 * from which later partitions are copied, because the other partitions differ between databases. The description leaves out grants,
 * compression (which depends on the server that created the table), and names of `not null` constraints (which only PostgreSQL 18 has).
 */
export async function describeSchema(client: pg.ClientBase): Promise<SchemaDescription> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    with relations as (
      select c.* from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_changes'
        and (not c.relispartition or c.relname like '%\\_last')
    ), tables as (
      select * from relations where not relispartition
    )
    select 'table ' || relname as name,
      concat_ws(' ', relkind, relpersistence, case when relkind = 'p' then pg_get_partkeydef(oid) end,
        (select string_agg(option, ', ' order by option) from unnest(reloptions) option)) as definition
    from relations
    union all
    select format('column %s.%s', r.relname, a.attname),
      concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
        nullif(a.attgenerated, ''), nullif(a.attidentity, ''), (select collname from pg_collation where oid = a.attcollation), a.attstorage,
        nullif(a.attstattarget, -1))
    from relations r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    union all
    select format('constraint %s of %s', k.conname, t.relname), pg_get_constraintdef(k.oid, true)
    from tables t join pg_constraint k on k.conrelid = t.oid and k.contype not in ('n', 't')
    union all
    select format('index %s of %s', i.relname, t.relname),
      concat_ws(' ', pg_get_indexdef(i.oid, 0, true), case when not x.indisvalid then 'invalid' end)
    from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
    union all
    select format('trigger %s of %s', g.tgname, t.relname), concat_ws(' ', g.tgenabled, pg_get_triggerdef(g.oid, true))
    from tables t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
    union all
    select format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)),
      concat_ws(' ', pg_get_function_result(p.oid), l.lanname, p.prokind, p.provolatile, p.proparallel, p.proisstrict, p.prosecdef, p.proconfig, p.prosrc)
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = current_schema()::regnamespace
    union all
    select 'type ' || t.typname, array(select e.enumlabel from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder)::text
    from pg_type t where t.typnamespace = current_schema()::regnamespace and t.typtype = 'e'`);
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

/** Kinds of objects that affect which rows a table accepts. An unexpected object of such a kind counts as a difference. */
const HARMFUL = /^(?:column|constraint|trigger) /;

/**
 * The differences between a schema (`is`) and the expected schema (`should`). Tables, indexes, functions and types that an operator added
 * do not count as differences.
 * @returns texts such as `index emails_status of emails is missing`
 */
export function differencesOf(is: SchemaDescription, should: SchemaDescription): string[] {
  const differences: string[] = [];
  for (const [name, definition] of should) {
    const found = is.get(name);
    if (found === undefined) differences.push(`${name} is missing`);
    else if (found !== definition) differences.push(`${name} is different`);
  }
  for (const name of is.keys())
    if (!should.has(name) && HARMFUL.test(name) && should.has(`table ${tableOf(name)}`))
      differences.push(`${name} is unexpected`);
  return differences.toSorted();
}

/** The table that an object belongs to, from the object's name. */
function tableOf(name: string): string {
  return name.startsWith('column ')
    ? (name.slice('column '.length).split('.')[0] ?? '')
    : name.slice(name.lastIndexOf(' ') + 1);
}
