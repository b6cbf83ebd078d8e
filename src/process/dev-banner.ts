import { readFileSync } from 'node:fs';
import type { Config } from '../app/config.ts';
import { devKeyFile } from '../app/dev-key.ts';
import type { OpenPorts } from '../app/ports.ts';
import { VERSION } from '../model/version.ts';

/** The text that `posthorn dev` prints when it is ready. @param startedMs the duration of the start */
export function devBanner(config: Config, ports: OpenPorts, startedMs: number): string {
  const url = `http://localhost:${ports.http}`;
  const rows = [
    ['SMTP', `localhost:${ports.devSmtp}, any user and password, any sender`],
    ['Inbox', `${url}/inbox`],
    ['Dashboard', `${url}/dev/dashboard`],
    ['API', `${url}/v1, from any address at ${config.hostedDomain}`],
    ['API key', readFileSync(devKeyFile(config), 'utf8').trim()],
    ['Docs', `${url}/docs/dev`],
    ['Data', config.dataDir],
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(11)}${value}`);
  const seconds = (startedMs / 1_000).toFixed(1);
  return `\nPosthorn ${VERSION} catches mail, and delivers none. Ready in ${seconds} s. Ctrl+C stops it.\n\n${lines.join('\n')}\n\n`;
}
