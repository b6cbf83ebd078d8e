/** A PostgreSQL 15 server from Debian on loopback, with passwords; optionally with TLS and a hot standby. */
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  type Account,
  account,
  freePort,
  isRoot,
  peerFolder,
  requireProgram,
  run,
  startDaemon,
} from './peers.ts';

const PROGRAMS = '/usr/lib/postgresql/15/bin';

export interface Postgres15 extends AsyncDisposable {
  /** Creates an empty database with an owner who is not a superuser. @returns the URL of the database for this owner */
  createDatabase(): Promise<string>;
  /** Starts a hot standby of this server, with the same users and certificate. */
  startStandby(): Promise<Standby>;
  /** Kills the server, as in a crash. */
  kill(): Promise<void>;
}

interface Standby {
  readonly port: number;
  /** Makes the standby a primary. */
  promote(): Promise<void>;
}

export interface Postgres15Options {
  /** The PEM files of a certificate. If set, connections may use TLS. */
  tls?: { key: string; certificate: string };
}

/** @throws Error if PostgreSQL is not installed or does not start */
export async function startPostgres15({ tls }: Postgres15Options = {}): Promise<Postgres15> {
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
  if (tls !== undefined) {
    for (const [from, name] of [
      [tls.key, 'server.key'],
      [tls.certificate, 'server.crt'],
    ] as const) {
      const to = join(cluster, name);
      copyFileSync(from, to);
      chmodSync(to, 0o600);
      if (runAs !== undefined) chownSync(to, runAs.uid, runAs.gid);
    }
  }
  const superuser = { host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' };
  const start = (data: string, at: number) =>
    startServer(postgres, data, { ...superuser, port: at }, { runAs, tls });
  const primary = stack.use(await start(cluster, port));
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
    async startStandby() {
      const backup = requireProgram(join(PROGRAMS, 'pg_basebackup'), 'postgresql-15');
      const [data, standbyPort] = [join(folder, 'standby'), await freePort()];
      mkdirSync(data, { mode: 0o700 });
      if (runAs !== undefined) chownSync(data, runAs.uid, runAs.gid);
      const from = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
      await run(backup, ['-D', data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'], {
        ...runAs,
      });
      running.use(await start(data, standbyPort));
      return {
        port: standbyPort,
        promote: () => administer({ ...superuser, port: standbyPort }, ['select pg_promote()']),
      };
    },
    kill: () => primary.kill(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Server extends AsyncDisposable {
  kill(): Promise<void>;
}

async function startServer(
  postgres: string,
  data: string,
  superuser: pg.ClientConfig,
  { runAs, tls }: { runAs: Account | undefined; tls: Postgres15Options['tls'] },
): Promise<Server> {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${superuser.port}`,
    'unix_socket_directories=',
    'fsync=off',
  ];
  const daemon = await startDaemon(postgres, {
    args: ['-D', data, ...[...settings, `ssl=${tls !== undefined}`].flatMap((setting) => ['-c', setting])],
    ...(runAs !== undefined && { runAs }),
    stopSignal: 'SIGINT',
    isReady: () =>
      administer(superuser, []).then(
        () => true,
        () => false,
      ),
  });
  return {
    async kill() {
      const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
      process.kill(postmaster, 'SIGKILL');
      await daemon[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
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
