import type { Socket } from 'node:net';

/** Faults that replace a reply. */
const FAULTS = ['close', 'reset', 'stall', 'garbage', 'drip', 'endless'] as const;

/**
 * A fault instead of a reply. `close` and `reset` end the connection (FIN, RST). `stall` never replies again. `garbage` sends octets that
 * are no reply. `drip` sends the server's own reply byte by byte. `endless` sends a reply that never ends.
 */
export type Fault = (typeof FAULTS)[number];

const DRIP_MS = 2;
/** Octets that are no reply, with invalid UTF-8 and line ends. */
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
 * @param answer the server's own reply, from which `drip` and `endless` are made
 * @param dripped called when `drip` has sent the whole reply
 */
export function playFault(
  fault: Exclude<Fault, 'close'>,
  { socket, connection }: Sockets,
  answer: string,
  dripped: () => void,
): void {
  if (fault === 'reset') connection.resetAndDestroy();
  else if (fault === 'garbage') socket.write(GARBAGE);
  else if (fault === 'endless') sendForever(socket, answer);
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

/** Repeats the first line of a reply until the client disconnects. */
function sendForever(socket: Socket, reply: string): void {
  const line = `${reply.slice(0, 3)}-and so on\r\n`.repeat(100);
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else socket.write(line);
  }, 1);
}
