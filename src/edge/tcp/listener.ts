/** A port for clients that speak in lines. */
import { createServer, type Socket } from 'node:net';
import type { Counter, Gauge } from 'prom-client';
import { clientNetwork } from '../../net/client-network.ts';
import { ClientConnection, type ConnectionLimits, type Farewells } from './client-connection.ts';
import { listenAt, type Place } from './listen.ts';
import { SharedRoom } from './shared-room.ts';

interface ListenerLimits extends ConnectionLimits {
  /** With more of them the one that does least gives way. */
  connections: number;
  /** See `clientNetwork`. */
  connectionsPerNetwork: number;
  /** What is in flight when the listener closes may take this long. */
  closeMs: number;
}

export interface TcpListenerOptions {
  place: Place;
  limits: ListenerLimits;
  farewells: Farewells & { tooManyConnections: string; givesWay: string };
  metrics: { connections: Counter<'result'>; gaveWay: Counter<'to'>; sessions: Gauge };
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
  const perNetwork = new Map<string, number>();

  function refuse(socket: Socket): void {
    metrics.connections.inc({ result: 'refused' });
    socket.on('error', () => socket.destroy());
    socket.end(`${farewells.tooManyConnections}\r\n`, () => socket.destroy());
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const network = clientNetwork(socket.remoteAddress ?? '');
    const already = perNetwork.get(network) ?? 0;
    if (already >= limits.connectionsPerNetwork) return refuse(socket);
    const connection = new ClientConnection(socket, network, limits, farewells);
    if (!places.take(connection, 1)) return refuse(socket);
    perNetwork.set(network, already + 1);
    metrics.connections.inc({ result: 'served' });
    metrics.sessions.inc();
    socket.once('close', () => {
      metrics.sessions.dec();
      connections.delete(socket);
      places.giveBack(connection);
      const left = (perNetwork.get(network) ?? 1) - 1;
      if (left === 0) perNetwork.delete(network);
      else perNetwork.set(network, left);
    });
    connections.set(socket, connection);
    void options.serve(connection);
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
