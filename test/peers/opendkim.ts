import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { account, requireProgram, run, startDaemon } from './peers.ts';

/**
 * Starts OpenDKIM as a milter that verifies all mail, with key records from a file instead of DNS.
 * @param socket the path of the socket; other files are written in the same folder
 * @param records TXT records by name
 * @throws Error if OpenDKIM is not installed or does not start, or if this process does not run as root
 */
export async function startOpendkim(
  socket: string,
  records: Record<string, string>,
): Promise<AsyncDisposable> {
  const opendkim = requireProgram('/usr/sbin/opendkim', 'opendkim');
  const unprivileged = account('nobody');
  const folder = dirname(socket);
  chownSync(folder, unprivileged.uid, unprivileged.gid);
  writeLines(`${folder}/records`, records);
  writeLines(`${folder}/conf`, {
    Mode: 'v',
    Socket: `local:${socket}`,
    UMask: '000',
    Background: 'no',
    Syslog: 'no',
    // Without this setting, OpenDKIM does not verify mail from this machine.
    InternalHosts: '192.0.2.1',
    TestDNSData: `file:${folder}/records`,
  });
  // Check the configuration first, because only this check reports errors in the configuration file.
  await run(opendkim, ['-n', '-x', `${folder}/conf`]);
  return startDaemon(opendkim, {
    args: ['-f', '-x', `${folder}/conf`],
    runAs: unprivileged,
    stopSignal: 'SIGTERM',
    isReady: () => existsSync(socket),
  });
}

function writeLines(path: string, values: Record<string, string>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(path, lines.join(''));
}
