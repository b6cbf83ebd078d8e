import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DnsZone } from '../../test/support/dns-server.ts';
import { freePort, waitForPort } from './ports.ts';
import { startProcess } from './processes.ts';

const START_TIMEOUT_MS = 10_000;

/** Starts bench/dns.ts. @returns the address of the server, for POSTHORN_DNS */
export async function startDns(folder: string, zone: DnsZone): Promise<string> {
  const port = await freePort();
  const path = join(folder, 'zone.json');
  writeFileSync(path, JSON.stringify(zone));
  const script = fileURLToPath(new URL('../dns.ts', import.meta.url));
  startProcess(process.execPath, [script, String(port), path], { stdio: ['ignore', 'ignore', 'inherit'] });
  await waitForPort(port, START_TIMEOUT_MS);
  return `127.0.0.1:${port}`;
}
