import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { configuredPorts, type PortName } from './ports.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The registered mail ports. The ports of the API are not listed, because clients reach it through a proxy. The port of `posthorn dev` is not, because it is
 * open on loopback addresses only.
 */
const PUBLIC = {
  smtp: 25,
  submission: 587,
  submissions: 465,
  imap: 143,
  imaps: 993,
  pop3: 110,
  pop3s: 995,
} as const satisfies Record<Exclude<PortName, 'http' | 'https' | 'devSmtp'>, number>;

test('every mail port is open in the firewall and published by containers', async () => {
  const read = (file: string) => readFile(join(ROOT, file), 'utf8');
  const firewall = await read('deploy/nftables.conf');
  const image = await read('Dockerfile');
  const composed = [await read('compose.yaml'), await read('compose.cluster.yaml')];
  const page = await read('docs/operate/install.md');
  const ports = configuredPorts(readConfig({}));
  for (const [name, at] of Object.entries(PUBLIC)) {
    const port = ports[name as PortName];
    assert.match(firewall, new RegExp(`dport \\{[^}]*\\b${at}\\b`), name);
    assert.match(image, new RegExp(`^EXPOSE .*\\b${port}\\b`, 'm'), name);
    for (const file of composed) assert.ok(file.includes(`'${at}:${port}'`), name);
    assert.ok(page.includes(`-p ${at}:${port} `), name);
  }
});
