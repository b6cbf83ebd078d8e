/** The mail servers of many destinations, in one process: bench/mx.ts. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCount, waitForCount } from './counts.ts';
import { freePort, waitForPort } from './ports.ts';
import { startProcess } from './processes.ts';

/**
 * `slow`: every reply comes after two seconds. `silent`: it takes the connection and never says a word. `calm`: every reply
 * comes after a tenth of a second. `serial`: it takes one message a second, over how many connections they may come.
 */
const MX_KINDS = ['live', 'slow', 'silent', 'calm', 'serial'] as const;
export type MxKind = (typeof MX_KINDS)[number];

const HOSTS_PER_BLOCK = 250;
const START_TIMEOUT_MS = 10_000;

export interface MxServers {
  port: number;
  /** Messages that servers of the kind accepted; of silent ones, the connections that they took. */
  count(kind: MxKind): number;
  /** Resolves with Date.now() once there are `total`. @throws Error after the timeout. */
  waitFor(kind: MxKind, total: number, timeoutMs: number): Promise<number>;
}

/** Every server has an address of its own in 127.0.0.0/8, which says of what kind it is. */
export function mxAddress(kind: MxKind, number: number): string {
  const [block, host] = [Math.floor(number / HOSTS_PER_BLOCK), (number % HOSTS_PER_BLOCK) + 1];
  return `127.${MX_KINDS.indexOf(kind) + 1}.${block}.${host}`;
}

/** Undefined where no server is. */
export function mxKindAt(address: string | undefined): MxKind | undefined {
  const [net, kind] = address?.split('.') ?? [];
  return net === '127' ? MX_KINDS[Number(kind) - 1] : undefined;
}

export async function startMx(folder: string): Promise<MxServers> {
  const port = await freePort();
  const path = join(folder, 'mx');
  const output = openSync(path, 'w');
  const script = fileURLToPath(new URL('../mx.ts', import.meta.url));
  startProcess(process.execPath, [script, String(port)], { stdio: ['ignore', output, 'inherit'] });
  closeSync(output);
  await waitForPort(port, START_TIMEOUT_MS);
  return {
    port,
    count: (kind) => readCount(path, kind),
    waitFor: (kind, total, timeoutMs) => waitForCount(path, kind, total, timeoutMs),
  };
}
