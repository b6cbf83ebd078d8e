/**
 * The mail servers of all destinations, at many addresses and one port. The address of a server determines how the server behaves
 * (`mxKindAt`). Argument: port.
 */
import { createServer } from 'node:net';
import { writeCounts } from './support/counts.ts';
import { type MxKind, mxKindAt } from './support/mx.ts';
import { serveSmtp, type ServerBehavior } from './support/smtp-server.ts';

const SLOW_MS = 2_000;
const CALM_MS = 100;
const SERIAL_MS = 1_000;
const BACKLOG = 2_000;

const counts: Record<MxKind, number> = { live: 0, slow: 0, silent: 0, calm: 0, serial: 0 };
/** The time at which the serial server will have finished its current messages. */
let serialFreeAtMs = 0;
const behaviors: Record<Exclude<MxKind, 'silent'>, ServerBehavior> = {
  live: { delayMs: 0, onMessage: () => counts.live++ },
  slow: { delayMs: SLOW_MS, onMessage: () => counts.slow++ },
  calm: { delayMs: CALM_MS, onMessage: () => counts.calm++ },
  serial: {
    delayMs: 0,
    workMs: () => {
      serialFreeAtMs = Math.max(serialFreeAtMs, Date.now()) + SERIAL_MS;
      return serialFreeAtMs - Date.now();
    },
    onMessage: () => counts.serial++,
  },
};

createServer((socket) => {
  const kind = mxKindAt(socket.localAddress);
  if (kind === undefined) socket.destroy();
  else if (kind === 'silent') {
    counts.silent++;
    socket.on('error', () => {});
    // Read and discard the data, because unread data would hide that the client has disconnected.
    socket.resume();
  } else serveSmtp(socket, behaviors[kind]);
}).listen({ port: Number(process.argv[2]), host: '0.0.0.0', backlog: BACKLOG });
writeCounts(counts);
