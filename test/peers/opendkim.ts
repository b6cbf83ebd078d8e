import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { account, requireProgram, run, startDaemon } from './peers.ts';

/**
 * Starts OpenDKIM as a milter that verifies all mail, with key records from a file in place of DNS.
 * @param socket where it listens; its files go beside
 * @param records TXT by name
 * @throws when it is not installed, this is not root, or it does not start
 */
export async function startOpendkim(
  socket: string,
  records: Record<string, string>,
): Promise<AsyncDisposable> {
  const opendkim = requireProgram('/usr/sbin/opendkim', 'opendkim');
  const nobody = account('nobody');
  const folder = dirname(socket);
  chownSync(folder, nobody.uid, nobody.gid);
  writeLines(`${folder}/records`, records);
  writeLines(`${folder}/conf`, {
    Mode: 'v',
    Socket: `local:${socket}`,
    UMask: '000',
    Background: 'no',
    Syslog: 'no',
    // By default it passes over mail from this machine.
    InternalHosts: '192.0.2.1',
    TestDNSData: `file:${folder}/records`,
  });
  // It says what is wrong with a file only when asked.
  await run(opendkim, ['-n', '-x', `${folder}/conf`]);
  return startDaemon(opendkim, {
    args: ['-f', '-x', `${folder}/conf`],
    runAs: nobody,
    stopSignal: 'SIGTERM',
    isReady: () => existsSync(socket),
  });
}

function writeLines(path: string, values: Record<string, string>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(path, lines.join(''));
}
