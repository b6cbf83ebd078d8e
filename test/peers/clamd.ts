import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askClamdVersion, type ClamdAddress } from '../../src/file-links/scan/clamd.ts';
import { freePort, peerFolder, requireProgram, startDaemon } from './peers.ts';

/** What scanners take for a virus to be tried with, in two halves: a scanner on this machine would take this file away. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** Of a file. */
export const MAX_STREAM_BYTES = 1024 * 1024;

/**
 * Starts clamd on loopback, with the one signature that its tests need in place of hundreds of megabytes.
 * @throws when it is not installed, or does not start
 */
export async function startClamd(): Promise<AsyncDisposable & { address: ClamdAddress }> {
  const clamd = requireProgram('/usr/sbin/clamd', 'clamav-daemon');
  const stack = new AsyncDisposableStack();
  try {
    const { path: folder } = stack.use(peerFolder('clamd'));
    const address = { host: '127.0.0.1', port: await freePort() };
    // A name, any kind of file, anywhere in it, in hexadecimal.
    writeFileSync(join(folder, 'test.ndb'), `Test.EICAR:0:*:${Buffer.from(EICAR).toString('hex')}\n`);
    writeFileSync(
      join(folder, 'clamd.conf'),
      [
        'Foreground yes',
        `DatabaseDirectory ${folder}`,
        `TemporaryDirectory ${folder}`,
        `TCPAddr ${address.host}`,
        `TCPSocket ${address.port}`,
        `StreamMaxLength ${MAX_STREAM_BYTES}`,
        'MaxThreads 2',
        '',
      ].join('\n'),
    );
    stack.use(
      await startDaemon(clamd, {
        args: ['--config-file', join(folder, 'clamd.conf')],
        stopSignal: 'SIGTERM',
        isReady: () =>
          askClamdVersion(address, AbortSignal.timeout(1_000)).then(
            () => true,
            () => false,
          ),
      }),
    );
    const owned = stack.move();
    return { address, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } finally {
    await stack.disposeAsync();
  }
}
