import { fileURLToPath } from 'node:url';
import { freePort, waitForPort } from '../support/ports.ts';
import { startProcess } from '../support/processes.ts';

const START_TIMEOUT_MS = 30_000;

/** Starts a Fastify baseline in a separate process. @returns the port */
export async function startFastify(name: 'echo' | 'group', ...args: readonly string[]): Promise<number> {
  const port = await freePort();
  const script = fileURLToPath(new URL(`./fastify-${name}.ts`, import.meta.url));
  startProcess(process.execPath, [script, String(port), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitForPort(port, START_TIMEOUT_MS);
  return port;
}
