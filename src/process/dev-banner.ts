import { readFileSync } from 'node:fs';
import type { Config } from '../app/config.ts';
import { devKeyFile } from '../app/dev-key.ts';
import type { OpenPorts } from '../app/ports.ts';
import { VERSION } from '../model/version.ts';

/** What applications and tests need to use `posthorn dev`. */
export function devAddresses(config: Config, { http, devSmtp }: OpenPorts) {
  return {
    smtp_port: devSmtp,
    url: `http://localhost:${http}`,
    api_key: readFileSync(devKeyFile(config), 'utf8').trim(),
    data: config.dataDir,
  };
}

/** The text that `posthorn dev` prints when it is ready. @param startedMs the duration of the start */
export function devBanner(config: Config, ports: OpenPorts, startedMs: number): string {
  const { smtp_port: smtpPort, url, api_key: apiKey, data } = devAddresses(config, ports);
  const rows = [
    ['SMTP', `localhost:${smtpPort}, any user and password, any sender`],
    ['Inbox', `${url}/inbox`],
    ['Dashboard', `${url}/dev/dashboard`],
    ['API', `${url}/v1, from any address at ${config.hostedDomain}`],
    ['API key', apiKey],
    ['Docs', `${url}/docs/dev`],
    ['Data', data],
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(11)}${value}`);
  const seconds = (startedMs / 1_000).toFixed(1);
  return `\nPosthorn ${VERSION} catches mail, and delivers none. Ready in ${seconds} s. Ctrl+C stops it.\n\n${lines.join('\n')}\n\n`;
}
