/** The smallest SMTP server that a client believes in: accepts everything, counts, keeps nothing. Arguments: port, backlog. */
import { writeSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';

const END_OF_MESSAGE = '\r\n.\r\n';
const GREETING_LINES = [
  '250-sink',
  '250-PIPELINING',
  '250-8BITMIME',
  '250-SMTPUTF8',
  '250 ENHANCEDSTATUSCODES',
  '',
];
let messages = 0;

function serve(socket: Socket): void {
  let inMessage = false;
  let pending = '';
  const reply = (text: string): void => {
    socket.write(`${text}\r\n`);
  };
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') socket.write(GREETING_LINES.join('\r\n'));
    else if (verb === 'DATA') {
      inMessage = true;
      // The end may follow at once, with no line before it.
      pending = `\r\n${pending}`;
      reply('354 go on');
    } else if (verb === 'QUIT') socket.end('221 2.0.0 bye\r\n');
    else reply('250 2.0.0 ok');
  };
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (chunk: string) => {
    pending += chunk;
    for (;;) {
      const end = inMessage ? END_OF_MESSAGE : '\r\n';
      const at = pending.indexOf(end);
      if (at === -1) {
        // Only what could be the start of the end is worth keeping.
        if (inMessage) pending = pending.slice(-END_OF_MESSAGE.length);
        return;
      }
      const line = pending.slice(0, at);
      pending = pending.slice(at + end.length);
      if (inMessage) {
        inMessage = false;
        messages++;
        reply('250 2.0.0 ok');
      } else command(line);
    }
  });
  reply('220 sink ESMTP');
}

createServer(serve).listen({
  port: Number(process.argv[2]),
  host: '127.0.0.1',
  backlog: Number(process.argv[3]),
});

let written = -1;
setInterval(() => {
  if (messages !== written) writeSync(1, `mesg=${messages}\r`);
  written = messages;
}, 5);
