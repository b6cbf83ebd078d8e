/** The product as users start it: `npm start` in the project's folder, with a separate data folder. */
import { closeSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { socketFolder, socketUrl } from '../../src/installation/embedded/socket-folder.ts';
import { FREE_PORTS } from '../../test/support/free-ports.ts';
import { freePort } from './ports.ts';
import { type ProcessInfo, processGroupTree, processTree } from './process-tree.ts';
import { runProcess, startProcess, stopProcess } from './processes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The timeout for a start, long enough to upgrade an archive from an earlier version. */
const READY_TIMEOUT_MS = 600_000;
const POLL_MS = 5;

export interface Product {
  port: number;
  /** The URL of the database as the superuser, for queries outside of measurements, or for parts that measure only the database. */
  databaseUrl: string;
  /** The time from `npm start` until GET /readyz returned 200. */
  readyAfterMs: number;
  /** The processes of the server and its descendants, including PostgreSQL but not npm. */
  processes(): ProcessInfo[];
  /** Creates an API key with full access to a project, by default the project `default`. */
  createKey(project?: string): Promise<string>;
  /** Runs a `posthorn` command. @returns the output */
  run(...args: string[]): Promise<string>;
  /** Queries the database over a separate connection. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  stop(): Promise<void>;
}

/**
 * @param settings environment variables, in addition to a random port, the data folder, no rate limit and the hosted domain src.test
 * @param root the checkout to start, by default this checkout
 */
export async function startProduct(
  dataDir: string,
  settings: Record<string, string>,
  root: string = ROOT,
): Promise<Product> {
  const port = await freePort();
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('POSTHORN_'))),
    POSTHORN_DATA: dataDir,
    ...FREE_PORTS,
    POSTHORN_HTTP_PORT: String(port),
    POSTHORN_RATE_LIMIT: '0',
    POSTHORN_HOSTED_DOMAIN: 'src.test',
    ...settings,
  };
  const logPath = `${dataDir}.log`;
  const log = openSync(logPath, 'a');
  const startedAt = performance.now();
  const child = startProcess('npm', ['start'], { cwd: root, env, stdio: ['ignore', log, log] }, isServer);
  closeSync(log);
  let server: ProcessInfo | undefined;
  // Check the process tree as well, because another program may respond on this port.
  while (!(await isReady(port)) || (server = processGroupTree(child.pid ?? 0).find(isServer)) === undefined) {
    const waitedMs = performance.now() - startedAt;
    if (child.exitCode !== null || waitedMs > READY_TIMEOUT_MS) {
      const output = readFileSync(logPath, 'utf8').slice(-3000);
      throw new Error(`The product was not ready after ${Math.round(waitedMs)} ms. Its output:\n${output}`);
    }
    await sleep(POLL_MS);
  }
  const readyAfterMs = performance.now() - startedAt;
  const { pid } = server;
  const run = (...args: string[]) =>
    runProcess('npm', ['run', '-s', 'posthorn', '--', ...args], { cwd: root, env, timeoutMs: 30_000 });
  const databaseUrl = socketUrl(socketFolder(realpathSync(dataDir)), 'posthorn');
  return {
    port,
    databaseUrl,
    readyAfterMs,
    processes: () => processTree(pid),
    run,
    createKey: async (project = 'default') => {
      const output = await run('key', 'create', '--project', project, '--name', 'bench', '--json');
      const key: { token: string } = JSON.parse(output);
      return key.token;
    },
    query: async <Row extends pg.QueryResultRow>(sql: string) => {
      const client = new pg.Client(databaseUrl);
      await client.connect();
      try {
        return (await client.query<Row>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    stop: () => stopProcess(child),
  };
}

/** Whether the process is the server, which npm and a shell have started. */
function isServer({ executable, command }: ProcessInfo): boolean {
  return executable === 'node' && command.includes('src/main.js');
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Use no agent, because a keep-alive connection would delay the server's stop.
    const request = get(
      { port, host: '127.0.0.1', path: '/readyz', agent: false, timeout: 2000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
