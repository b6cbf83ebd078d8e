/** The port for mail from outside. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { clientNetwork } from '../../net/client-network.ts';
import { listenOnAll } from '../../net/listen.ts';
import { inboundConnections, inboundSessions } from '../../observe/instruments.ts';
import { Connection, type SmtpTimings, TIMINGS } from './connection.ts';
import { REPLIES } from './replies.ts';

const MAX_CONNECTIONS = 100;
const MAX_CONNECTIONS_PER_CLIENT = 20;
/** Of content that has not been received to its end, and of what is being worked on. */
const MAX_HELD_OCTETS = 64 * 1024 * 1024;
/** What is in flight when the listener closes may take this long. */
const CLOSE_TIMEOUT_MS = 3_000;

export interface SmtpListenerOptions<Addressee> {
  /** 0 picks a free one. */
  port: number;
  /** What the greeting says. */
  hostname: string;
  /** For the next handshake; null: STARTTLS is not offered. */
  secureContext: (() => SecureContext) | null;
  /** Null: nobody here has that address. */
  addresseeOf(forwardPath: string): Addressee | null;
  /** Resolves when what the message means is committed. A rejection: it may work later. */
  receive(addressees: Addressee[], data: Buffer): Promise<void>;
  /** Default: `TIMINGS`. */
  timings?: SmtpTimings;
}

/**
 * Listens on all addresses, IPv6 and IPv4. Disposing answers the messages that are on their way, tells the other clients
 * to come back, and breaks off what takes longer than three seconds.
 * @throws when the port is taken
 */
export async function startSmtpListener<Addressee>(
  options: SmtpListenerOptions<Addressee>,
): Promise<{ port: number } & AsyncDisposable> {
  const connections = new Map<Socket, Connection<Addressee>>();
  const perClient = new Map<string, number>();
  let heldOctets = 0;

  const server = createServer({ noDelay: true }, (socket) => {
    const client = clientNetwork(socket.remoteAddress ?? '');
    const already = perClient.get(client) ?? 0;
    if (connections.size >= MAX_CONNECTIONS || already >= MAX_CONNECTIONS_PER_CLIENT) {
      inboundConnections.inc({ result: 'refused' });
      socket.on('error', () => socket.destroy());
      socket.end(`${REPLIES.tooManyConnections}\r\n`, () => socket.destroy());
      return;
    }
    perClient.set(client, already + 1);
    inboundConnections.inc({ result: 'served' });
    inboundSessions.inc();
    socket.once('close', () => {
      inboundSessions.dec();
      connections.delete(socket);
      const left = (perClient.get(client) ?? 1) - 1;
      if (left === 0) perClient.delete(client);
      else perClient.set(client, left);
    });
    const connection = new Connection(socket, {
      ...options,
      timings: options.timings ?? TIMINGS,
      reserve: (octets) => {
        if (heldOctets + octets > MAX_HELD_OCTETS) return false;
        heldOctets += octets;
        return true;
      },
      release: (octets) => {
        heldOctets -= octets;
      },
    });
    connections.set(socket, connection);
  });
  // A connection that could not be accepted, for want of file descriptors: others still can.
  server.on('error', () => {});
  await listenOnAll(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections.values()) connection.stop();
      const giveUp = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(giveUp);
    },
  };
}
