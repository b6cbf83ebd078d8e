/** Debian's PgBouncer in front of a database, with the configuration of its package except for paths and ports. */
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { account, freePort, isRoot, peerFolder, requireProgram, startDaemon } from './peers.ts';

export interface PgBouncer extends AsyncDisposable {
  /** The URL of the database through PgBouncer. */
  readonly url: string;
}

/**
 * @param databaseUrl the URL of the database, with user and password
 * @throws Error if PgBouncer is not installed or does not start
 */
export async function startPgBouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction' | 'statement',
): Promise<PgBouncer> {
  const program = requireProgram('/usr/sbin/pgbouncer', 'pgbouncer');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('pgbouncer')).path;
  const url = new URL(databaseUrl);
  const users = join(folder, 'userlist.txt');
  const file = join(folder, 'pgbouncer.ini');
  const port = await freePort();
  writeFileSync(users, `"${url.username}" "${url.password}"\n`, { mode: 0o600 });
  writeFileSync(
    file,
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${poolMode}
default_pool_size = 40
`,
    { mode: 0o600 },
  );
  // PgBouncer does not run as root.
  const runAs = isRoot() ? account('postgres') : undefined;
  if (runAs !== undefined) for (const path of [users, file]) chownSync(path, runAs.uid, runAs.gid);
  url.port = String(port);
  stack.use(
    await startDaemon(program, {
      args: [file],
      ...(runAs !== undefined && { runAs }),
      stopSignal: 'SIGTERM',
      isReady: () => answers(url.href),
    }),
  );
  const running = stack.move();
  return { url: url.href, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
