/**
 * Hosts whose version changes while other hosts run. Tests control the hosts as an operator does, and check them as a load balancer does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FREE_PORTS } from '../support/free-ports.ts';
import { eventually } from '../support/eventually.ts';

export const THIS_TREE = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 60_000;
/** The pause between two emails of a sender, for a moderate load. */
const PAUSE_MS = 10;

/** The version of the tree made by `nextTree`. */
export const NEXT_VERSION = '999.0.0';

/**
 * A source tree of a made-up next version: the code of this tree with additional migrations, and the packages of this tree.
 * @param migrations the texts of the migration files, by name
 */
export function nextTree(migrations: Readonly<Record<string, string>>): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'posthorn-tree-'));
  // Copy links as links, because `src/main.ts` is a link to a file in the same folder.
  for (const name of ['package.json', 'src', 'web', 'docs', 'deploy'])
    cpSync(join(THIS_TREE, name), join(path, name), { recursive: true, verbatimSymlinks: true });
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as object;
  writeFileSync(join(path, 'package.json'), JSON.stringify({ ...manifest, version: NEXT_VERSION }));
  for (const [name, text] of Object.entries(migrations))
    writeFileSync(join(path, 'src/db/migrations', name), text);
  symlinkSync(join(THIS_TREE, 'node_modules'), join(path, 'node_modules'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** A host with one port, on which any version can run. */
export class Host implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #port: number;
  readonly #env: Record<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'posthorn-host-'));
  #process: ChildProcess | null = null;
  #output = '';

  private constructor(port: number, env: Record<string, string>) {
    this.#port = port;
    this.#env = env;
    this.baseUrl = `http://localhost:${port}`;
  }

  static async make(env: Record<string, string>): Promise<Host> {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    return new Host(port, env);
  }

  /**
   * Resolves once /readyz reports that the host is ready. Does not wait for a line of output instead, because the output may differ between
   * versions.
   */
  async start(tree: string): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const started = spawn(process.execPath, [join(tree, 'src/main.ts')], {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        POSTHORN_DATA: this.#folder,
        ...FREE_PORTS,
        POSTHORN_HTTP_PORT: String(this.#port),
        POSTHORN_RATE_LIMIT: '0',
        POSTHORN_LOG_LEVEL: 'warn',
        ...this.#env,
      },
    });
    this.#process = started;
    const read = (chunk: Buffer): void => {
      this.#output += chunk;
    };
    started.stdout.on('data', read);
    started.stderr.on('data', read);
    const isReady = await eventually(
      async () => started.exitCode !== null || (await this.#answers('/readyz')),
      START_MS,
    );
    if (!isReady || started.exitCode !== null) throw new Error(`The host is not ready:\n${this.output}`);
  }

  /** The API key that the first start prints shortly after the host is ready. */
  async firstKey(): Promise<string> {
    const find = () => /(svc_live_\S+)\s/.exec(this.#output)?.[1];
    await eventually(() => find() !== undefined, START_MS);
    return find() ?? '';
  }

  get output(): string {
    return this.#output;
  }

  async #answers(path: string): Promise<boolean> {
    return fetch(this.baseUrl + path).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill();
    await once(running, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export interface Load {
  /** The ids of emails that were accepted with a 202. */
  accepted: string[];
  /** The longest time from the first attempt to post an email to its 202, in ms. */
  slowestMs: number;
}

/**
 * Posts emails to all hosts in random order until the signal.
 * @throws Error like `sendOne`
 */
export async function sendToAll(hosts: readonly Host[], token: string, until: AbortSignal): Promise<Load> {
  const load: Load = { accepted: [], slowestMs: 0 };
  const sender = async (_: unknown, name: number): Promise<void> => {
    for (let n = 0; !until.aborted; n++) {
      const startedAtMs = performance.now();
      load.accepted.push(await sendOne(hosts, token, `${name}-${n}`));
      load.slowestMs = Math.max(load.slowestMs, performance.now() - startedAtMs);
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: 4 }, sender));
  return load;
}

/**
 * Posts an email. If a host does not respond or returns 503, posts the same email to the next host, as a load balancer does.
 * @returns the id of the email
 * @throws Error for any other response
 */
export async function sendOne(hosts: readonly Host[], token: string, key: string): Promise<string> {
  for (;;) {
    for (const host of hosts.toSorted(() => Math.random() - 0.5)) {
      const answer = await post(`${host.baseUrl}/v1/emails`, token, key);
      if (answer?.status === 202) return (JSON.parse(answer.text) as { id: string }).id;
      if (answer !== null && answer.status !== 503) throw new Error(`${answer.status}: ${answer.text}`);
    }
  }
}

/** Posts an email to one host. @returns null if the connection broke or could not be opened */
async function post(
  url: string,
  token: string,
  key: string,
): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({
        from: 'Acme <hello@posthorn.localhost>',
        to: ['b@dst.test'],
        subject: 'Hello',
        text: 'It works.',
        tags: ['upgrade'],
      }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
