/**
 * Debian's Patroni with three PostgreSQL 15 nodes, etcd, and HAProxy in front of the primary, all on loopback. Replication is synchronous
 * and strict: a commit returns only after a standby has stored it, and blocks as long as there is no standby.
 */
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../support/eventually.ts';
import { type Account, account, freePort, peerFolder, requireProgram, startDaemon } from '../peers.ts';

const NODES = 3;
const PASSWORD = 'of-the-tests';
/** In seconds. Patroni requires ttl >= loop_wait + 2 * retry_timeout. */
const TTL = 20;
const LOOP_WAIT = 5;
const RETRY_TIMEOUT = 5;
/** The timeout of the start, long enough for initdb, two base backups and a synchronous standby. */
const READY_MS = 90_000;

export interface Cluster extends AsyncDisposable {
  /** The URL of the primary through HAProxy, which closes connections at once as long as there is no primary. */
  readonly url: string;
  /** A URL that lists all nodes, for clients that find the primary themselves. */
  readonly hostsUrl: string;
  /** Kills the primary and its Patroni with SIGKILL. @returns the name of the killed node */
  killLeader(): Promise<string>;
  /** @returns the name of the primary; null if there is no primary */
  leader(): Promise<string | null>;
}

interface Node {
  name: string;
  folder: string;
  restPort: number;
  port: number;
}

/** @throws Error if a program is not installed or the cluster does not start */
export async function startCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(peerFolder('patroni')).path;
  const postgres = account('postgres');
  chownSync(folder, postgres.uid, postgres.gid);
  const etcdPort = await startEtcd(stack, folder, postgres);
  const nodes: Node[] = [];
  for (let at = 1; at <= NODES; at++) {
    const name = `node${at}`;
    nodes.push({ name, folder: join(folder, name), restPort: await freePort(), port: await freePort() });
  }
  const pids = new Map<string, number>();
  for (const node of nodes) {
    // The first node becomes the leader. The other nodes copy the database of the leader.
    pids.set(node.name, await startPatroni(stack, node, etcdPort, postgres));
  }
  const url = await startHaproxy(stack, folder, nodes);
  await prepareDatabase(nodes[0] as Node);
  const isComplete = await eventually(async () => (await standbysOf(nodes)) === NODES - 1, READY_MS);
  if (!isComplete) throw new Error('The standbys did not start');
  const leader = async () => {
    const states = await Promise.all(nodes.map((node) => isPrimary(node)));
    return nodes[states.indexOf(true)]?.name ?? null;
  };
  const running = stack.move();
  return {
    url,
    hostsUrl: `postgres://posthorn:${PASSWORD}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/posthorn?target_session_attrs=read-write`,
    leader,
    async killLeader() {
      const name = await leader();
      const node = nodes.find((each) => each.name === name);
      if (node === undefined) throw new Error('There is no leader');
      const postmaster = Number(
        readFileSync(join(node.folder, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0],
      );
      process.kill(pids.get(node.name) as number, 'SIGKILL');
      process.kill(postmaster, 'SIGKILL');
      return node.name;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startEtcd(stack: AsyncDisposableStack, folder: string, runAs: Account): Promise<number> {
  const [client, peer] = [await freePort(), await freePort()];
  const etcd = requireProgram('/usr/bin/etcd', 'etcd-server');
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  const options = {
    name: 'etcd',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': urlOf(client),
    'advertise-client-urls': urlOf(client),
    'listen-peer-urls': urlOf(peer),
    'initial-advertise-peer-urls': urlOf(peer),
    'initial-cluster': `etcd=${urlOf(peer)}`,
  };
  stack.use(
    await startDaemon(etcd, {
      args: Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      runAs,
      stopSignal: 'SIGTERM',
      isReady: () => answers(`${urlOf(client)}/health`),
    }),
  );
  return client;
}

/** @returns the process id of Patroni, which runs PostgreSQL as its child */
async function startPatroni(
  stack: AsyncDisposableStack,
  node: Node,
  etcdPort: number,
  runAs: Account,
): Promise<number> {
  const patroni = requireProgram('/usr/bin/patroni', 'patroni');
  mkdirSync(node.folder, { mode: 0o700 });
  const file = join(node.folder, 'patroni.json');
  const pidFile = join(node.folder, 'patroni.pid');
  const configuration = {
    scope: 'posthorn',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: TTL,
        loop_wait: LOOP_WAIT,
        retry_timeout: RETRY_TIMEOUT,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { parameters: { max_connections: 200 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.port}`,
      data_dir: join(node.folder, 'data'),
      bin_dir: '/usr/lib/postgresql/15/bin',
      pgpass: join(node.folder, 'pgpass'),
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      parameters: { unix_socket_directories: node.folder },
    },
  };
  // The configuration is written as JSON, which is valid YAML.
  writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
  for (const path of [node.folder, file]) chownSync(path, runAs.uid, runAs.gid);
  stack.use(
    await startDaemon('/bin/sh', {
      args: ['-c', 'echo $$ > "$1"; exec "$2" "$3"', 'sh', pidFile, patroni, file],
      runAs,
      stopSignal: 'SIGTERM',
      readyMs: READY_MS,
      isReady: () => answers(`http://127.0.0.1:${node.restPort}/health`),
    }),
  );
  return Number(readFileSync(pidFile, 'utf8'));
}

/** @returns the URL at which HAProxy serves the database */
async function startHaproxy(
  stack: AsyncDisposableStack,
  folder: string,
  nodes: readonly Node[],
): Promise<string> {
  const haproxy = requireProgram('/usr/sbin/haproxy', 'haproxy');
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`).join('\n')}
`,
  );
  const url = `postgres://posthorn:${PASSWORD}@127.0.0.1:${port}/posthorn`;
  stack.use(
    await startDaemon(haproxy, {
      args: ['-db', '-f', file],
      stopSignal: 'SIGTERM',
      isReady: () =>
        query({ host: '127.0.0.1', port, user: 'postgres', password: PASSWORD, database: 'postgres' }, [
          'select 1',
        ]).then(
          () => true,
          () => false,
        ),
    }),
  );
  return url;
}

async function prepareDatabase(node: Node): Promise<void> {
  const superuser = superuserOf(node);
  await query(superuser, [
    `create role posthorn login password '${PASSWORD}'`,
    'create database posthorn owner posthorn',
  ]);
}

async function standbysOf(nodes: readonly Node[]): Promise<number> {
  const [first] = nodes;
  const response = await fetch(`http://127.0.0.1:${first?.restPort}/cluster`);
  const { members } = (await response.json()) as { members: { role: string; state: string }[] };
  const roles = members.filter(({ state }) => state === 'running' || state === 'streaming');
  const isSynchronous = roles.some(({ role }) => role === 'sync_standby');
  return isSynchronous ? roles.filter(({ role }) => role !== 'leader').length : 0;
}

function superuserOf(node: Node): pg.ClientConfig {
  return { host: '127.0.0.1', port: node.port, user: 'postgres', password: PASSWORD, database: 'postgres' };
}

async function isPrimary(node: Node): Promise<boolean> {
  return answers(`http://127.0.0.1:${node.restPort}/primary`);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function query(config: pg.ClientConfig, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
}
