/** A server that implements clamd's protocol over a real socket. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ClamdAddress } from './clamd.ts';

/** Files that contain this text are reported as infected. */
export const VIRUS = 'X5O!P%@AP-a-file-that-a-test-takes-for-a-virus';

export interface FakeClamd extends AsyncDisposable {
  address: ClamdAddress & { host: string; port: number };
  /** The bytes of each file that was sent completely. */
  scanned: Buffer[];
  /** A reply to send instead of the real result; null to send the real result. `hang up` sends nothing. */
  says: string | null;
}

/** Starts a fake clamd. @param lost how many times the reply to a rejected file is lost, because the connection is reset */
export async function startFakeClamd({ maxBytes = Infinity, lost = 0 } = {}): Promise<FakeClamd> {
  let refused = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    void serve(socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clamd: FakeClamd = {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    scanned: [],
    says: null,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(socket: Socket): Promise<void> {
    let buffered = Buffer.alloc(0);
    const file: Buffer[] = [];
    let isStream = false;
    let octets = 0;
    for await (const data of socket as AsyncIterable<Buffer>) {
      buffered = Buffer.concat([buffered, data]);
      if (!isStream) {
        const end = buffered.indexOf(0);
        if (end === -1) continue;
        const command = buffered.toString('latin1', 0, end);
        buffered = buffered.subarray(end + 1);
        if (command === 'zVERSION') return void socket.end('ClamAV 1.4.3/27000\0');
        if (command !== 'zINSTREAM') return void socket.end('UNKNOWN COMMAND\0');
        isStream = true;
      }
      while (buffered.length >= 4) {
        const length = buffered.readUInt32BE(0);
        // Like the real daemon, the server rejects a file by its length, and resets the connection if unread bytes remain.
        if (octets + length > maxBytes) {
          if (refused++ < lost) return void socket.resetAndDestroy();
          return void socket.write('INSTREAM size limit exceeded. ERROR\0', () => socket.destroySoon());
        }
        if (buffered.length < 4 + length) break;
        if (length === 0) {
          const whole = Buffer.concat(file);
          clamd.scanned.push(whole);
          const found = whole.includes(VIRUS) ? 'stream: Test.Virus-1 FOUND' : 'stream: OK';
          if (clamd.says === 'hang up') socket.destroy();
          else socket.end(`${clamd.says ?? found}\0`);
          return;
        }
        octets += length;
        file.push(Buffer.from(buffered.subarray(4, 4 + length)));
        buffered = buffered.subarray(4 + length);
      }
    }
  }

  return clamd;
}
