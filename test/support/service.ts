/** Starts the whole service as users do, in its own process tree, for tests that use only its ports and its database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/db/database.ts';
import { apiClient } from './api-client.ts';
import { FREE_PORTS } from './free-ports.ts';
import { LARGE_YOUNG_GENERATION } from './node-flags.ts';
import { checkPatches, type Patch } from './patches.ts';
import { copyUsedFolder } from './used-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PATCH_LOADER = new URL('patch-loader.ts', import.meta.url).href;
/** The time limit for a start, enough for a machine that is ten times slower. */
const READY_MS = 120_000;

export interface ServiceOptions {
  env?: Record<string, string>;
  /** Patches for the source, to shorten times or to remove a protection. */
  patches?: readonly Patch[];
  /** The data folder of an earlier service, to start the service again with the same data. */
  dataDir?: string;
  /** Whether the data folder is new. By default the service gets a copy of a used data folder, whose API key is known. */
  isFirst?: boolean;
  /** Arguments for Node, which precede the program. */
  nodeArgs?: readonly string[];
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts the service with its own data folder. Resolves when the service reports that it is ready. */
export async function startService(options: ServiceOptions = {}) {
  checkPatches(options.patches ?? []);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'posthorn-service-'));
  const usedToken = mayBeUsed(options) ? await copyUsedFolder(dataDir, startOnce) : null;
  const supervisor = spawn(
    process.execPath,
    [...LARGE_YOUNG_GENERATION, ...(options.nodeArgs ?? []), join(ROOT, 'src/main.ts')],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        POSTHORN_DATA: dataDir,
        ...FREE_PORTS,
        POSTHORN_RATE_LIMIT: '0',
        POSTHORN_TEST_PATCHES: JSON.stringify(options.patches ?? []),
        NODE_OPTIONS: `--import ${PATCH_LOADER}`,
        ...options.env,
      },
    },
  );
  const output = await readyOutput(supervisor).catch(async (error: unknown) => {
    if (supervisor.exitCode === null && supervisor.kill()) await once(supervisor, 'exit');
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  const baseUrl = /(?:API|Status) +(\S+?)(?:\/readyz)?\s/.exec(output)?.[1] ?? '';
  const smtpPort = Number(/SMTP port (\d+)/.exec(output)?.[1]);
  const imapPort = Number(/IMAP port (\d+)/.exec(output)?.[1]);
  const submissionPort = Number(/submission port (\d+)/.exec(output)?.[1]);
  const pop3Port = Number(/POP3 port (\d+)/.exec(output)?.[1]);
  const token = /svc_live_\S+/.exec(output)?.[0] ?? usedToken;
  const database = openDatabase(databaseUrl(dataDir, options.env));

  return {
    dataDir,
    baseUrl,
    /** The port for mail from other servers. */
    smtpPort,
    imapPort,
    submissionPort,
    pop3Port,
    /** The API key of the first start. */
    token,
    output,
    supervisor,
    /** Direct access to the service's database. */
    database,
    /** Makes a client with the API key of the first start, or with another key. */
    client: (other: string | null = token) => apiClient(baseUrl, other ?? undefined),
    /** The process ids of the current children. */
    childPids: () => childrenOf(supervisor.pid ?? 0).filter((pid) => titleOf(pid).startsWith('posthorn')),
    workerPids: () =>
      childrenOf(supervisor.pid ?? 0).filter((pid) => titleOf(pid).startsWith('posthorn: worker')),
    postgresPid: () => Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]),
    /** Kills all processes of the service at once, including PostgreSQL. */
    async kill() {
      const ended = once(supervisor, 'exit');
      for (const pid of [supervisor.pid ?? 0, ...this.childPids(), this.postgresPid()])
        process.kill(pid, 'SIGKILL');
      await ended;
      await database.destroy();
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      await database.destroy();
      if (supervisor.exitCode === null && supervisor.signalCode === null) {
        supervisor.kill(signal);
        await once(supervisor, 'exit');
      }
      return supervisor.exitCode;
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Whether the service can use a copy of a used data folder, with the database and secret in it. */
function mayBeUsed({ dataDir, isFirst, env = {} }: ServiceOptions): boolean {
  return (
    dataDir === undefined &&
    isFirst !== true &&
    !('POSTHORN_DATABASE_URL' in env) &&
    !('POSTHORN_SECRET' in env)
  );
}

async function startOnce(dataDir: string): Promise<string> {
  const service = await startService({ dataDir });
  await service.stop();
  return service.token ?? '';
}

function databaseUrl(dataDir: string, env: ServiceOptions['env']): string {
  return (
    env?.['POSTHORN_DATABASE_URL'] ??
    `postgres://posthorn@${encodeURIComponent(join(dataDir, 'run'))}/posthorn`
  );
}

function readyOutput(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`The service was not ready in time:\n${output}`)),
      READY_MS,
    );
    const read = (chunk: Buffer): void => {
      output += chunk;
      if (!output.includes('To create more keys:')) return;
      clearTimeout(timer);
      resolve(output);
    };
    service.stdout?.on('data', read);
    service.stderr?.on('data', read);
    service.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`The service ended before it was ready:\n${output}`));
    });
  });
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
