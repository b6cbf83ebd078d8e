/** Mail servers of all kinds on one port of many addresses, told apart by the one that was dialled. Argument: port. */
import { createServer } from 'node:net';
import { writeCounts } from './support/counts.ts';
import { type MxKind, mxKindAt } from './support/mx.ts';
import { serveSmtp } from './support/smtp-server.ts';

const SLOW_MS = 2_000;
const BACKLOG = 2_000;

const counts: Record<MxKind, number> = { live: 0, slow: 0, silent: 0 };
const live = { delayMs: 0, onMessage: () => counts.live++ };
const slow = { delayMs: SLOW_MS, onMessage: () => counts.slow++ };

createServer((socket) => {
  const kind = mxKindAt(socket.localAddress);
  if (kind === 'live') serveSmtp(socket, live);
  else if (kind === 'slow') serveSmtp(socket, slow);
  else if (kind === 'silent') {
    counts.silent++;
    socket.on('error', () => {});
    // What is not read hides that the client has gone.
    socket.resume();
  } else socket.destroy();
}).listen({ port: Number(process.argv[2]), host: '0.0.0.0', backlog: BACKLOG });
writeCounts(counts);
