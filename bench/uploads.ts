/**
 * Opens connections that each send a body of 6 MiB except for the last byte, and stay open for a while. Argument: a job as JSON. Output:
 * the number of responses by status, and the number of connections that the server kept open without responding.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UploadJob } from './support/uploads.ts';

const BODY_BYTES = 6 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 0x20);

const job: UploadJob = JSON.parse(process.argv[2] ?? '');
const counts: Record<string, number> = { kept: 0 };
const sockets = Array.from({ length: job.connections }, () => {
  const socket = connect(job.port, '127.0.0.1');
  let left = BODY_BYTES - 1;
  let isAnswered = false;
  const send = () => {
    while (left > 0 && !socket.destroyed) {
      const piece = PIECE.subarray(0, Math.min(PIECE.length, left));
      left -= piece.length;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', send);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (isAnswered) return;
    isAnswered = true;
    const status = chunk.toString('latin1', 9, 12);
    counts[status] = (counts[status] ?? 0) + 1;
  });
  socket.write(
    `POST /v1/emails HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${job.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`,
  );
  send();
  return { socket, isKept: () => !isAnswered && !socket.destroyed };
});
await sleep(job.durationMs);
counts['kept'] = sockets.filter(({ isKept }) => isKept()).length;
for (const { socket } of sockets) socket.destroy();
process.stdout.write(JSON.stringify(counts));
