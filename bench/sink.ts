/** An SMTP server that counts accepted messages. Arguments: port, backlog of the listening socket. */
import { createServer } from 'node:net';
import { writeCounts } from './support/counts.ts';
import { serveSmtp } from './support/smtp-server.ts';

const counts = { mesg: 0 };
const behavior = { delayMs: 0, onMessage: () => counts.mesg++ };

createServer((socket) => serveSmtp(socket, behavior)).listen({
  port: Number(process.argv[2]),
  host: '127.0.0.1',
  backlog: Number(process.argv[3]),
});
writeCounts(counts);
