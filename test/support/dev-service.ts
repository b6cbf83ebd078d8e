/** Starts `posthorn dev` as a developer does, in its own process tree. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const COMMAND = join(ROOT, 'src/doors/cli/main.ts');

/** The members of responses that tests use on their own. */
interface DevBody {
  type: string;
  id: string;
  created_at: string;
  subject: string;
  recipients: { address: string; status: string }[];
  links: string[];
  attachments: { name: string; path: string; bytes: number }[];
  total: number;
  messages_count: number;
  messages: { Subject: string; MessageID: string; Size: number; Created: string }[];
  ID: string;
  Subject: string;
  Messages: number;
  Attachments: { FileName: string; PartID: string; ContentID: string }[];
  Inline: DevBody['Attachments'];
}

export type DevService = Awaited<ReturnType<typeof startDev>>;

interface DevServiceOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  /** The data folder of an earlier start. */
  dataDir?: string;
}

/** Resolves when the command has printed that it is ready. Rejects with its output if it ends before. */
export async function startDev({ args = [], env = {}, dataDir }: DevServiceOptions = {}) {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'posthorn-dev-'));
  const command = [COMMAND, 'dev', '--data', folder, '--smtp-port', '0', '--http-port', '0', ...args];
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  let output = '';
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      if (/Data +\/.*\n/.test(output)) resolve();
    });
  const [code] = await Promise.race([ready.then(() => [null]), ended]);
  if (child.exitCode !== null) {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    throw Object.assign(new Error(output), { exitCode: code as number });
  }
  const found = (pattern: RegExp): string => pattern.exec(output)?.[1] ?? '';
  const url = found(/Inbox +(\S+)\/inbox/);
  return {
    dataDir: folder,
    output: () => output,
    url,
    smtpPort: Number(found(/SMTP +localhost:(\d+)/)),
    token: found(/(svc_live_\S+)/),
    /** The response to a request, with its JSON. */
    async ask(path: string, init: RequestInit = {}) {
      const response = await fetch(url + path, init);
      const text = await response.text();
      const body = (
        /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : {}
      ) as DevBody;
      return { status: response.status, headers: response.headers, body, text };
    },
    /** The bytes of a response. */
    async bytes(path: string) {
      const response = await fetch(url + path);
      return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    /** @returns the exit code */
    async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
