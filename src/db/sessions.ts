/** Checks whether a connection keeps its session, or whether a pooler in front of PostgreSQL shares sessions between connections. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { TIMINGS } from './timings.ts';
import { DatabaseClient } from './database-client.ts';

/** The result of the check if a connection does not keep its session, and how to fix it. */
export const NO_SESSIONS = {
  seen: 'POSTHORN_DATABASE_URL points to a pooler that switches sessions between transactions.',
  advice: 'Set pool_mode = session for this database in PgBouncer: docs/operate/postgresql.md.',
} as const;

/** The check is repeated, because another client may get the marked session and hide the pooler. */
const CHECKS = 3;

/**
 * Detects a pooler that gives each transaction or statement any free session, such as PgBouncer with `pool_mode = transaction`. With such a
 * pooler, timeouts, prepared statements and LISTEN are lost.
 * @throws errors of PostgreSQL or the connection
 */
export async function hasStickySessions(url: string): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const connect = async (): Promise<pg.Client> => {
    const client = new DatabaseClient({
      connectionString: url,
      connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
      query_timeout: TIMINGS.silenceTimeoutMs,
      application_name: 'posthorn',
    });
    client.on('error', () => {});
    await client.connect();
    stack.defer(() => client.end().catch(() => {}));
    return client;
  };
  const [one, other] = [await connect(), await connect()];
  for (let check = 0; check < CHECKS; check++) if (!(await isSticky(one, other))) return false;
  return true;
}

/**
 * Whether each connection keeps its session. The first connection marks its session and becomes idle. A pooler then gives this session to
 * the second connection, which finds the mark.
 */
async function isSticky(one: pg.Client, other: pg.Client): Promise<boolean> {
  const mark = randomUUID();
  await one.query(`set posthorn.session = '${mark}'`);
  try {
    await other.query('begin');
    const [ofOther, ofOne] = [await markOf(other), await markOf(one)];
    await other.query('rollback');
    return ofOther !== mark && ofOne === mark;
  } catch (error) {
    // PgBouncer with `pool_mode = statement` rejects transactions with the SQLSTATE `protocol_violation`.
    if (error instanceof pg.DatabaseError && error.code === '08P01') return false;
    throw error;
  }
}

async function markOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    "select current_setting('posthorn.session', true) as mark",
  );
  return rows[0]?.mark ?? null;
}
