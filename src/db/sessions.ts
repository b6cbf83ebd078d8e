/** Whether a connection is a session: what stands between this process and PostgreSQL may share the sessions out. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { TIMINGS } from './timings.ts';
import { DatabaseClient } from './database-client.ts';

/** What to say where a connection is no session, and what to do about it. */
export const NO_SESSIONS = {
  seen: 'POSTHORN_DATABASE_URL leads to a pooler that gives a connection another session for each transaction.',
  advice: 'Set pool_mode = session for this database in PgBouncer: docs/operate/postgresql.md.',
} as const;

/** Others may take the session that this looks for: it looks more than once. */
const LOOKS = 3;

/**
 * Looks for a pooler that gives each transaction, or each statement, whichever session is free, as PgBouncer does in
 * `pool_mode = transaction`. Time-outs, prepared statements and LISTEN are lost there.
 * @throws what PostgreSQL or the connection says
 */
export async function keepsSessions(url: string): Promise<boolean> {
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
  for (let look = 0; look < LOOKS; look++) if (!(await keepsItsSession(one, other))) return false;
  return true;
}

/** One connection marks its session and does nothing more. A pooler then gives that session to the other one. */
async function keepsItsSession(one: pg.Client, other: pg.Client): Promise<boolean> {
  const mark = randomUUID();
  await one.query(`set posthorn.session = '${mark}'`);
  try {
    await other.query('begin');
    const [ofOther, ofOne] = [await markOf(other), await markOf(one)];
    await other.query('rollback');
    return ofOther !== mark && ofOne === mark;
  } catch (error) {
    // PgBouncer in `pool_mode = statement` refuses a transaction: protocol_violation.
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
