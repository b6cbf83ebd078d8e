import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { AnotherFile, sendFile, type TusResponse, type TusRequest, UploadRejected } from './send-file.ts';

const FILE = new Blob([Uint8Array.from({ length: 100 }, (_, at) => at)]);

interface Server {
  bytes: number[];
  /** Whether the checksum of each piece was correct. */
  checksums: boolean[];
  requests: string[];
  transport(request: TusRequest): Promise<TusResponse>;
}

/** A server that accepts each piece at its offset. `fault` may respond or break the connection instead. */
function tusServer(
  fault: (count: number, server: Server) => TusResponse | Error | null = () => null,
): Server {
  const server: Server = {
    bytes: [],
    checksums: [],
    requests: [],
    async transport({ method, piece }) {
      server.requests.push(piece === undefined ? method : `${method} ${piece.offset}`);
      const wrong = fault(server.requests.length, server);
      if (wrong instanceof Error) throw wrong;
      if (wrong !== null) return wrong;
      if (piece !== undefined && piece.offset !== server.bytes.length)
        return { status: 409, offset: server.bytes.length, crc32: null, detail: null };
      if (piece !== undefined) {
        const bytes = new Uint8Array(await new Response(piece.bytes).arrayBuffer());
        server.bytes.push(...bytes);
        server.checksums.push(piece.checksum === `sha256 ${hash('sha256', bytes, 'base64')}`);
      }
      const sum = crc32(Uint8Array.from(server.bytes));
      return { status: 200, offset: server.bytes.length, crc32: sum, detail: null };
    },
  };
  return server;
}

async function sent(
  server: Server,
  waits: number[] = [],
  troubles: (string | null)[] = [],
): Promise<number[]> {
  const progress: number[] = [];
  await sendFile({
    file: FILE,
    transport: server.transport,
    signal: new AbortController().signal,
    pieceBytes: 30,
    onProgress: (octets) => progress.push(octets),
    onTrouble: (why) => troubles.push(why),
    wait: async (ms) => void waits.push(ms),
  });
  return progress;
}

const whole = async () => [...new Uint8Array(await FILE.arrayBuffer())];

void test('a file is sent in pieces, starting at the offset that the service reports', async () => {
  const server = tusServer();
  server.bytes = (await whole()).slice(0, 20);
  assert.deepEqual(await sent(server), [20, 50, 80, 100]);
  assert.deepEqual(server.requests, ['HEAD', 'PATCH 20', 'PATCH 50', 'PATCH 80']);
  assert.deepEqual(server.checksums, [true, true, true]);
  assert.deepEqual(server.bytes, await whole());
});

void test('after an interruption, the upload continues at the offset that the service reports', async () => {
  const server = tusServer((count, { bytes }) => {
    if (count !== 3) return null;
    // Part of the piece was received, which the client learns only from the service.
    bytes.push(...Array.from({ length: 11 }, (_, at) => 30 + at));
    return new Error('reset');
  });
  await sent(server);
  assert.deepEqual(server.requests, ['HEAD', 'PATCH 0', 'PATCH 30', 'HEAD', 'PATCH 41', 'PATCH 71']);
  assert.deepEqual(server.bytes, await whole());
});

void test('a piece that was corrupted in transit (status 460) is sent again', async () => {
  const server = tusServer((count) =>
    count === 2 ? { status: 460, offset: null, crc32: null, detail: null } : null,
  );
  await sent(server);
  assert.deepEqual(server.requests.slice(0, 4), ['HEAD', 'PATCH 0', 'HEAD', 'PATCH 0']);
  assert.deepEqual(server.bytes, await whole());
});

void test('the pause grows after each failure, and the failure is reported until a piece succeeds', async () => {
  const away = { status: 503, offset: null, crc32: null, detail: 'The database is away.' };
  const server = tusServer((count) => (count <= 3 ? away : null));
  const [waits, troubles] = [[] as number[], [] as (string | null)[]];
  await sent(server, waits, troubles);
  assert.deepEqual(waits, [1_000, 2_000, 4_000]);
  assert.deepEqual(troubles.slice(0, 4), [...Array.from({ length: 3 }, () => away.detail), null]);
});

void test('the pause grows if the service accepts no bytes', async () => {
  const stop = new AbortController();
  const waits: number[] = [];
  const server = tusServer((count) =>
    count > 1 ? { status: 204, offset: 0, crc32: null, detail: null } : null,
  );
  await assert.rejects(
    sendFile({
      file: FILE,
      transport: server.transport,
      signal: stop.signal,
      onProgress() {},
      onTrouble() {},
      async wait(ms) {
        waits.push(ms);
        if (waits.length === 8) stop.abort();
      },
    }),
    { name: 'AbortError' },
  );
  assert.deepEqual(waits.slice(-3), [30_000, 30_000, 30_000]);
});

for (const [status, words] of [
  [404, /no longer has the first part/],
  [422, /no room/],
] as const)
  void test(`status ${status} ends the upload with a message`, async () => {
    const server = tusServer(() => ({
      status,
      offset: null,
      crc32: null,
      detail: status === 422 ? 'There is no room.' : null,
    }));
    await assert.rejects(
      sent(server),
      (error) => error instanceof UploadRejected && words.test(error.message),
    );
  });

void test('an upload resumes if the file chosen again begins with the received bytes, which are compared once', async () => {
  const server = tusServer((count) => (count === 3 ? new Error('reset') : null));
  server.bytes = (await whole()).slice(0, 20);
  const compared: number[] = [];
  await sendFile({
    file: FILE,
    transport: server.transport,
    signal: new AbortController().signal,
    pieceBytes: 30,
    isChosenAgain: true,
    onCompared: (octets: number) => compared.push(octets),
    onProgress() {},
    onTrouble() {},
    wait: async () => {},
  });
  assert.deepEqual(compared, [20]);
  assert.deepEqual(server.bytes, await whole());
});

void test('no byte is sent of a chosen file that differs from the received bytes', async () => {
  const server = tusServer();
  server.bytes = (await whole()).slice(0, 20);
  server.bytes[3] = 0;
  const sent = sendFile({
    file: FILE,
    transport: server.transport,
    signal: new AbortController().signal,
    isChosenAgain: true,
    onProgress() {},
    onTrouble() {},
    wait: async () => {},
  });
  await assert.rejects(sent, AnotherFile);
  assert.deepEqual(server.requests, ['HEAD']);
});

void test('an empty file is uploaded without a PATCH request', async () => {
  const server = tusServer();
  await sendFile({
    file: new Blob([]),
    transport: server.transport,
    signal: new AbortController().signal,
    onProgress() {},
    onTrouble() {},
    wait: async () => {},
  });
  assert.deepEqual(server.requests, ['HEAD']);
});

void test('a file that changed during the upload ends the upload with a message instead of retries', async () => {
  const gone = { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) };
  const file = Object.assign(new Blob([new Uint8Array(10)]), { slice: () => gone as unknown as Blob });
  await assert.rejects(
    sendFile({
      file,
      signal: new AbortController().signal,
      onProgress() {},
      onTrouble() {},
      wait: async () => {},
      transport: async ({ piece }) => {
        if (piece !== undefined) throw new Error('No connection to the server.');
        return { status: 200, offset: 0, crc32: null, detail: null };
      },
    }),
    (error) => error instanceof UploadRejected && /was changed/.test(error.message),
  );
});
