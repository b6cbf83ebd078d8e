/** A port for clients that speak in lines. */
import { createServer, type Socket } from 'node:net';
import type { Counter, Gauge } from 'prom-client';
import { clientNetwork, widerNetwork } from '../../net/client-network.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import { ClientConnection, type ConnectionLimits, type Farewells } from './client-connection.ts';
import { Counts } from './counts.ts';
import { listenAt, type Place } from './listen.ts';
import { SharedRoom } from './shared-room.ts';

interface ListenerLimits extends ConnectionLimits {
  /** With more of them the one that does least gives way. */
  connections: number;
  /** See `clientNetwork`. */
  connectionsPerClient: number;
  /** See `widerNetwork`. */
  connectionsPerNetwork: number;
  /** What is in flight when the listener closes may take this long. */
  closeMs: number;
}

export interface TcpListenerOptions {
  place: Place;
  limits: ListenerLimits;
  farewells: Farewells & { tooManyConnections: string; givesWay: string };
  metrics: { connections: Counter<'result'>; gaveWay: Counter<'to'>; sessions: Gauge };
  /** Present: TLS from the first byte. */
  secureContext?: SecureContextOf | undefined;
  /** Speaks the protocol on one connection until that is over. */
  serve(connection: ClientConnection): Promise<void>;
}

/**
 * Disposing answers what is on its way, tells the other clients to come back, and
 * breaks off what takes longer than the limit.
 * @throws as `listenAt` does
 */
export async function startTcpListener(
  options: TcpListenerOptions,
): Promise<{ port: number } & AsyncDisposable> {
  const { limits, farewells, metrics } = options;
  const connections = new Map<Socket, ClientConnection>();
  const places = new SharedRoom(limits.connections, (connection) => {
    metrics.gaveWay.inc({ to: 'connection' });
    connection.end(farewells.givesWay);
  });
  const perClient = new Counts(limits.connectionsPerClient);
  const perNetwork = new Counts(limits.connectionsPerNetwork);

  function refuse(socket: Socket): void {
    metrics.connections.inc({ result: 'refused' });
    socket.on('error', () => socket.destroy());
    socket.end(`${farewells.tooManyConnections}\r\n`, () => socket.destroy());
  }

  async function serve(connection: ClientConnection): Promise<void> {
    if (options.secureContext !== undefined) await connection.startTls(options.secureContext);
    if (!connection.isOver) await options.serve(connection);
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const ip = socket.remoteAddress ?? '';
    const [client, network] = [clientNetwork(ip), widerNetwork(ip)];
    if (perClient.isFull(client) || perNetwork.isFull(network)) return refuse(socket);
    const connection = new ClientConnection(socket, limits, farewells);
    if (!places.take(connection, 1)) return refuse(socket);
    perClient.add(client, 1);
    perNetwork.add(network, 1);
    metrics.connections.inc({ result: 'served' });
    metrics.sessions.inc();
    socket.once('close', () => {
      metrics.sessions.dec();
      connections.delete(socket);
      places.giveBack(connection);
      perClient.add(client, -1);
      perNetwork.add(network, -1);
    });
    connections.set(socket, connection);
    void serve(connection);
  });
  const { port, close } = await listenAt(server, options.place);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = close();
      for (const connection of connections.values()) connection.stop();
      const giveUp = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, limits.closeMs);
      await closed;
      clearTimeout(giveUp);
    },
  };
}
