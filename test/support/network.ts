/** A TCP proxy in front of PostgreSQL that can fail like real networks and proxies. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The network to a server. */
export interface Network extends AsyncDisposable {
  url: string;
  /** Drops all data without closing connections. */
  isSilent: boolean;
  /** Accepts connections and closes them at once, like a proxy without a live server. */
  isClosing: boolean;
  /** Ends all open connections. */
  cut(): void;
  /** The number of connections so far. */
  connections: number;
}

/** @param url the URL of a server without TLS @param listenPort by default a free port */
export async function networkTo(url: string, listenPort = 0): Promise<Network> {
  const { hostname, port, pathname } = new URL(url);
  const host = decodeURIComponent(hostname);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    // A connection that was opened while the network was silent stays silent, even if the network recovers.
    const isLost = network.isSilent;
    network.connections += 1;
    if (network.isClosing) {
      client.destroy();
      return;
    }
    const far = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port || 5432), host);
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('end', () => {
        if (!network.isSilent && !isLost) to.end();
      });
      from.on('data', (chunk) => {
        if (!network.isSilent && !isLost) to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve));
  const network: Network = {
    url: `postgres://posthorn@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    isSilent: false,
    isClosing: false,
    connections: 0,
    cut() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}
