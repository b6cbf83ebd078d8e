/** A listener for line-based protocols. */
import { createServer, type Socket } from 'node:net';
import type { Counter, Gauge } from 'prom-client';
import { clientAddress, clientNetwork, widerNetwork } from '../../net/client-network.ts';
import type { Networks } from '../../net/networks.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import { ClientConnection, type ConnectionLimits, type Farewells } from './client-connection.ts';
import { listenAt, type ListenAddress } from './listen.ts';
import { beginsWithHeader, type ProxyFault, receiveProxyHeader, watchForHeader } from './proxy-header.ts';
import { SharedQuota } from './shared-quota.ts';

export type { ProxyFault };

/** Time limit for the PROXY header. A proxy sends the header as soon as it connects. */
const PROXY_HEADER_MS = 5_000;

/**
 * How long a connection may be silent before TCP probes the client. NAT devices forget silent connections after 5 minutes or more. Without
 * probes, a client that has vanished would occupy its connection until the idle time limit.
 */
const KEEP_ALIVE_MS = 2 * 60_000;

/** The settings of the PROXY protocol at one port. */
export interface ProxyProtocol {
  /** Connections from these networks must begin with a PROXY header. All other connections must not begin with a PROXY header. */
  networks: Pick<Networks, 'includes'>;
  /** Called when a connection is closed because of a missing, malformed or unexpected PROXY header. @param address the peer's IP address */
  onFault(fault: ProxyFault, address: string): void;
  /** Time limit for the PROXY header. Default: 5 seconds. */
  headerMs?: number;
}

interface ListenerLimits extends ConnectionLimits {
  /** Maximum connections. At this number, a new connection displaces a much less active one (`SharedQuota`) or is refused. */
  connections: number;
  /** Maximum connections from one `clientNetwork`. */
  connectionsPerClient: number;
  /** Maximum connections from one `widerNetwork`. */
  connectionsPerNetwork: number;
  /** Time limit for commands in progress when the listener closes. */
  closeMs: number;
}

export interface TcpListenerOptions {
  listenAddress: ListenAddress;
  limits: ListenerLimits;
  farewells: Farewells & { tooManyConnections: string; displaced: string };
  metrics: { connections: Counter<'result'>; displaced: Counter<'to'>; sessions: Gauge };
  /** If present, the port has TLS from the first byte. */
  secureContext?: SecureContextOf | undefined;
  /** Whether a client is a relay of this installation. A relay is trusted, and the limits per client and network do not apply to it. */
  isRelay?: ((address: string) => boolean) | undefined;
  /** Absent if there is no proxy. */
  proxy?: ProxyProtocol | undefined;
  /** Runs the protocol on one connection until the connection ends. */
  serve(connection: ClientConnection): Promise<void>;
}

/**
 * Starts a listener. On disposal, the listener answers the commands in progress, sends the farewell `shuttingDown` to all clients, and
 * destroys connections that take longer than `closeMs`.
 * @throws the errors of `listenAt`
 */
export async function startTcpListener(
  options: TcpListenerOptions,
): Promise<{ port: number } & AsyncDisposable> {
  const { limits, farewells, metrics, proxy } = options;
  const connections = new Map<Socket, ClientConnection>();
  /** Connections from proxies whose PROXY header has not arrived yet. */
  const announcing = new Set<Socket>();
  const slots = new SharedQuota(limits.connections, (connection) => {
    metrics.displaced.inc({ to: 'connection' });
    connection.end(farewells.displaced);
  });
  const perClient = new ConnectionCounts(limits.connectionsPerClient);
  const perNetwork = new ConnectionCounts(limits.connectionsPerNetwork);

  function refuse(socket: Socket): void {
    metrics.connections.inc({ result: 'refused' });
    socket.on('error', () => socket.destroy());
    socket.end(`${farewells.tooManyConnections}\r\n`, () => socket.destroy());
  }

  function end(socket: Socket, fault: ProxyFault): void {
    metrics.connections.inc({ result: 'proxy_error' });
    proxy?.onFault(fault, clientAddress(socket.remoteAddress ?? '') ?? '');
    socket.destroy();
  }

  async function serve(connection: ClientConnection, socket: Socket): Promise<void> {
    const { secureContext } = options;
    if (secureContext !== undefined)
      await connection.startTls(secureContext, (first) => {
        if (!beginsWithHeader(first)) return true;
        end(socket, 'unexpected');
        return false;
      });
    if (!connection.isOver) await options.serve(connection);
  }

  /** @param behindProxy see `ClientConnection` */
  function accept(socket: Socket, behindProxy: string | null): void {
    const ip = behindProxy ?? socket.remoteAddress ?? '';
    const [client, network] = [clientNetwork(ip), widerNetwork(ip)];
    const isRelay = options.isRelay?.(clientAddress(ip) ?? '') === true;
    if (!isRelay && (perClient.isFull(client) || perNetwork.isFull(network))) return refuse(socket);
    // Register before the connection reads, so that a PROXY header is not read as a command.
    if (options.secureContext === undefined) watchForHeader(socket, () => end(socket, 'unexpected'));
    const connection = new ClientConnection(socket, limits, farewells, behindProxy);
    connection.isTrusted = isRelay;
    if (!slots.take(connection, 1)) return refuse(socket);
    perClient.add(client, 1);
    perNetwork.add(network, 1);
    metrics.connections.inc({ result: 'served' });
    metrics.sessions.inc();
    socket.once('close', () => {
      metrics.sessions.dec();
      connections.delete(socket);
      slots.release(connection);
      perClient.add(client, -1);
      perNetwork.add(network, -1);
    });
    connections.set(socket, connection);
    void serve(connection, socket);
  }

  async function acceptFromProxy(socket: Socket): Promise<void> {
    if (announcing.size >= limits.connections) return refuse(socket);
    socket.on('error', () => socket.destroy());
    announcing.add(socket);
    const header = await receiveProxyHeader(socket, proxy?.headerMs ?? PROXY_HEADER_MS);
    announcing.delete(socket);
    if (!('fault' in header)) return accept(socket, header.source);
    if (header.fault === null) socket.destroy();
    else end(socket, header.fault);
  }

  const server = createServer({ noDelay: true }, (socket) => {
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (proxy?.networks.includes(socket.remoteAddress ?? '') === true) void acceptFromProxy(socket);
    else accept(socket, null);
  });
  const { port, close } = await listenAt(server, options.listenAddress);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = close();
      for (const socket of announcing) socket.destroy();
      for (const connection of connections.values()) connection.stop();
      const timer = setTimeout(() => {
        for (const socket of connections.keys()) socket.destroy();
      }, limits.closeMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** Counts connections by client or by network. */
class ConnectionCounts {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  isFull(key: string): boolean {
    return (this.#counts.get(key) ?? 0) >= this.#max;
  }

  add(key: string, more: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + more;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
