/** Lists the statements that take the most time. Values are removed from the statements, because values contain users' mail. */
import { sql } from 'kysely';
import type { SystemStatements } from '../../contract/dashboard/system.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';

const MAX_STATEMENTS = 15;
const MAX_TEXT = 500;

type Statement = SystemStatements['data'][number];

const EXTENSION = columnsOf({ has: 'bool' });
const STATEMENT = columnsOf({
  text: 'text',
  calls: 'float8?',
  totalMs: 'float8',
  meanMs: 'float8?',
  state: 'text?',
});
type StatementRow = RowOf<typeof STATEMENT>;

/** Installs the extension that makes the statistics readable. Used only for the embedded database. */
export async function showCounted(database: Database): Promise<void> {
  // Without the extension, the page shows running statements.
  await sql`create extension if not exists pg_stat_statements`.execute(database).catch(() => {});
}

export async function readStatements(database: Database): Promise<SystemStatements> {
  const { rows } = await EXTENSION.sql`
    select exists (select from pg_extension where extname = 'pg_stat_statements') and to_regclass('pg_stat_statements') is not null as has`.execute(
    database,
  );
  const counted = rows[0]?.has === true ? await readCounted(database).catch(() => null) : null;
  if (counted !== null) return { source: 'pg_stat_statements', data: counted.map(describe) };
  return { source: 'running', data: (await readRunning(database)).map(describe) };
}

/** @throws if the extension is not loaded, or may not be read */
async function readCounted(database: Database): Promise<StatementRow[]> {
  const { rows } = await STATEMENT.sql`
    select query as text, calls::float8 as calls, total_exec_time as total_ms, mean_exec_time as mean_ms, null as state
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit ${MAX_STATEMENTS}`.execute(database);
  return rows;
}

async function readRunning(database: Database): Promise<StatementRow[]> {
  const { rows } = await STATEMENT.sql`
    select query as text, null::float8 as calls, extract(epoch from now() - query_start)::float8 * 1000 as total_ms, null::float8 as mean_ms,
      case when wait_event is not null then wait_event_type || ': ' || wait_event end as state
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()
      and query_start < now() - interval '1 second'
    order by query_start limit ${MAX_STATEMENTS}`.execute(database);
  return rows;
}

function describe({ text, calls, totalMs, meanMs, state }: StatementRow): Statement {
  return {
    text: withoutValues(text),
    calls,
    total_ms: Math.round(totalMs * 10) / 10,
    mean_ms: meanMs === null ? null : Math.round(meanMs * 100) / 100,
    state,
  };
}

/** Removes literal values from a statement. Our statements use parameters, but statements typed in a console contain values. */
export function withoutValues(text: string): string {
  const bare = text
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "'…'")
    .replaceAll(/'(?:[^']|'')*(?:'|$)/g, "'…'")
    .replaceAll(/\s+/g, ' ')
    .trim();
  return bare.length <= MAX_TEXT ? bare : `${bare.slice(0, MAX_TEXT)}…`;
}
