/** The mail servers of many destinations, all in the process bench/mx.ts. */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCount, waitForCount } from './counts.ts';
import { freePort, waitForPort } from './ports.ts';
import { startProcess } from './processes.ts';

/**
 * The kinds of mail servers. `slow`: every reply takes two seconds. `silent`: accepts connections and never replies. `calm`: every reply
 * takes a tenth of a second. `serial`: accepts one message per second in total, over any number of connections.
 */
const MX_KINDS = ['live', 'slow', 'silent', 'calm', 'serial'] as const;
export type MxKind = (typeof MX_KINDS)[number];

const HOSTS_PER_BLOCK = 250;
const START_TIMEOUT_MS = 10_000;

export interface MxServers {
  port: number;
  /** The number of messages that servers of this kind accepted; for silent servers, the number of connections. */
  count(kind: MxKind): number;
  /** Resolves with Date.now() once the count is `total`. @throws Error after the timeout */
  waitFor(kind: MxKind, total: number, timeoutMs: number): Promise<number>;
}

/** The address of a mail server. Every server has its own address in 127.0.0.0/8, which determines the kind of server. */
export function mxAddress(kind: MxKind, number: number): string {
  const [block, host] = [Math.floor(number / HOSTS_PER_BLOCK), (number % HOSTS_PER_BLOCK) + 1];
  return `127.${MX_KINDS.indexOf(kind) + 1}.${block}.${host}`;
}

/** The kind of the server at an address; undefined for an address without a server. */
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
