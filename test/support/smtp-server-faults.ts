import type { Socket } from 'node:net';

/** What a server does in place of answering. */
const FAULTS = ['close', 'reset', 'stall', 'garbage', 'drip', 'endless'] as const;

/**
 * `close` and `reset` end the connection (FIN, RST), `stall` never answers again on it, `garbage` is no reply, `drip` is
 * the server's own answer byte by byte, and `endless` an answer that never ends.
 */
export type Fault = (typeof FAULTS)[number];

const DRIP_MS = 2;
/** Not UTF-8, and with line ends. */
const GARBAGE = Buffer.from('\0\xff\xfe\x16\x03\x01\r\n<html>\xc3\x28\r\n', 'latin1');

export function isFault(reply: string | undefined): reply is Fault {
  return FAULTS.some((fault) => fault === reply);
}

interface Sockets {
  socket: Socket;
  /** The TCP connection, below TLS. */
  connection: Socket;
}

/**
 * @param answer of the server, which `drip` and `endless` are made of
 * @param dripped called when the whole answer is out
 */
export function playFault(
  fault: Exclude<Fault, 'close'>,
  { socket, connection }: Sockets,
  answer: string,
  dripped: () => void,
): void {
  if (fault === 'reset') connection.resetAndDestroy();
  else if (fault === 'garbage') socket.write(GARBAGE);
  else if (fault === 'endless') sayForever(socket, answer);
  else if (fault === 'drip') drip(socket, `${answer}\r\n`, dripped);
}

function drip(socket: Socket, text: string, done: () => void): void {
  const bytes = Buffer.from(text);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, (at += 1)));
    if (at < bytes.length && !socket.destroyed) return;
    clearInterval(timer);
    done();
  }, DRIP_MS);
}

/** Says the first line of a reply again and again until the client leaves. */
function sayForever(socket: Socket, reply: string): void {
  const line = `${reply.slice(0, 3)}-and so on\r\n`.repeat(100);
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(line);
  }, 1);
}
