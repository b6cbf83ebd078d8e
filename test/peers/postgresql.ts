/** A cluster of Debian's PostgreSQL 15 on loopback, with passwords. */
import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { account, freePort, isRoot, peerFolder, requireProgram, run, startDaemon } from './peers.ts';

const PROGRAMS = '/usr/lib/postgresql/15/bin';

export interface Postgres15 extends AsyncDisposable {
  /** Makes an empty database with an owner who is no superuser, and returns its URL for that owner. */
  createDatabase(): Promise<string>;
}

/** @throws when it is not installed or does not start */
export async function startPostgres15(): Promise<Postgres15> {
  const initdb = requireProgram(join(PROGRAMS, 'initdb'), 'postgresql-15');
  const postgres = requireProgram(join(PROGRAMS, 'postgres'), 'postgresql-15');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('postgresql')).path;
  const cluster = join(folder, 'cluster');
  const passwordFile = join(folder, 'password');
  const password = randomUUID();
  const port = await freePort();
  mkdirSync(cluster, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  // PostgreSQL refuses to run as root.
  const runAs = isRoot() ? account('postgres') : undefined;
  if (runAs !== undefined) {
    for (const path of [cluster, passwordFile]) chownSync(path, runAs.uid, runAs.gid);
  }
  const options = {
    pgdata: cluster,
    username: 'postgres',
    pwfile: passwordFile,
    auth: 'scram-sha-256',
    encoding: 'UTF8',
    locale: 'C.UTF-8',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  await run(initdb, [...args, '--no-sync'], { ...runAs });
  const superuser = { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' };
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  stack.use(
    await startDaemon(postgres, {
      args: ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
      ...(runAs !== undefined && { runAs }),
      stopSignal: 'SIGINT',
      isReady: () =>
        administer(superuser, []).then(
          () => true,
          () => false,
        ),
    }),
  );
  const running = stack.move();
  let databases = 0;
  return {
    async createDatabase() {
      databases += 1;
      const name = `posthorn_${databases}`;
      await administer(superuser, [
        `create role ${name} login password '${password}'`,
        `create database ${name} owner ${name}`,
      ]);
      return `postgres://${name}:${password}@127.0.0.1:${port}/${name}`;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function administer(config: pg.ClientConfig, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
