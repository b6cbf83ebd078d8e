/** Sends mail over persistent connections as a busy server does: MAIL, RCPT and DATA in one write, then the content. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const FROM = 'alice@acme.example';

/** @returns the number of messages per second that were answered with 250. After `durationMs` no new message begins */
export async function sendMail(options: {
  port: number;
  /** Returns the recipient for the messages of a connection. */
  to(at: number): string;
  connections: number;
  durationMs: number;
  messages: readonly Buffer[];
}): Promise<{ perSecond: number; p99Ms: number }> {
  const { connections, durationMs } = options;
  const endMs = performance.now() + durationMs;
  const startedMs = performance.now();
  const took = (
    await Promise.all(Array.from({ length: connections }, (_, at) => send(options, options.to(at), endMs)))
  ).flat();
  const seconds = (performance.now() - startedMs) / 1_000;
  took.sort((a, b) => a - b);
  return { perSecond: took.length / seconds, p99Ms: took[Math.floor(took.length * 0.99)] ?? 0 };
}

async function send(
  { port, messages }: Parameters<typeof sendMail>[0],
  to: string,
  endMs: number,
): Promise<number[]> {
  const connection = await openConnection(port);
  const took: number[] = [];
  for (let at = 0; performance.now() < endMs; at++) {
    const startedMs = performance.now();
    took.push((await connection.send(to, messages[at % messages.length] as Buffer)) - startedMs);
  }
  await connection.end();
  return took;
}

/** A connection that sends many messages. */
export interface MailConnection {
  /** Sends a message. @returns the time at which its 250 arrived, on the clock of `performance.now()` */
  send(to: string, message: Buffer): Promise<number>;
  /** Ends the session. Resolves once the server has closed the connection, because the server allows few connections per address. */
  end(): Promise<void>;
  /** Closes the connection without QUIT. */
  drop(): void;
}

/** @param login the login of a mailbox, whose address is then the sender */
export async function openConnection(
  port: number,
  login?: { user: string; password: string },
): Promise<MailConnection> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const reply = replies(socket);
  const expect = async (code: string): Promise<void> => {
    for (;;) {
      const line = await reply();
      if (!line.startsWith(code)) throw new Error(`The server replied "${line}" instead of ${code}`);
      if (line[3] !== '-') return;
    }
  };
  await expect('220');
  socket.write('EHLO mx.acme.example\r\n');
  await expect('250');
  if (login !== undefined) {
    socket.write(`AUTH PLAIN ${Buffer.from(`\0${login.user}\0${login.password}`).toString('base64')}\r\n`);
    await expect('235');
  }
  return {
    send: async (to, message) => {
      socket.write(`MAIL FROM:<${login?.user ?? FROM}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
      for (const code of ['250', '250', '354']) await expect(code);
      socket.write(message);
      socket.write('.\r\n');
      await expect('250');
      return performance.now();
    },
    end: async () => {
      socket.write('QUIT\r\n');
      await expect('221');
      await once(socket.end(), 'close');
    },
    drop: () => socket.destroy(),
  };
}

/** Returns a function that resolves with the next received line. */
function replies(socket: Socket): () => Promise<string> {
  let input = '';
  let wake = (): void => {};
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    input += text;
    wake();
  });
  socket.once('close', () => {
    input += '000 closed\r\n';
    wake();
  });
  return async () => {
    for (;;) {
      const end = input.indexOf('\r\n');
      if (end !== -1) {
        const line = input.slice(0, end);
        input = input.slice(end + 2);
        return line;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}
