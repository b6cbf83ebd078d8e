import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askClamdVersion, type ClamdAddress } from '../../src/file-links/scan/clamd.ts';
import { freePort, peerFolder, requireProgram, startDaemon } from './peers.ts';

/** The EICAR test virus, in two halves so that a scanner on this machine does not remove this file. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** The maximum size of a file: clamd's StreamMaxLength. */
export const MAX_STREAM_BYTES = 1024 * 1024;

/**
 * Starts clamd on loopback with only the signature that the tests need, because all signatures take hundreds of megabytes of memory.
 * @throws Error if ClamAV is not installed or does not start
 */
export async function startClamd(): Promise<AsyncDisposable & { address: ClamdAddress }> {
  const clamd = requireProgram('/usr/sbin/clamd', 'clamav-daemon');
  const stack = new AsyncDisposableStack();
  try {
    const { path: folder } = stack.use(peerFolder('clamd'));
    const address = { host: '127.0.0.1', port: await freePort() };
    // The format of a signature: name, any file type, any offset, and the bytes in hexadecimal.
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
