/** One port at several addresses of this machine. */
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv4, type Server, type Socket } from 'node:net';

export interface ListenAddress {
  /** IP addresses of this machine. `::` stands for all of them, IPv6 and IPv4; `0.0.0.0` for all IPv4 addresses. */
  addresses: readonly string[];
  /** The same at all addresses; 0 picks one that is free at all of them. */
  port: number;
}

export interface Listening {
  port: number;
  /** Takes no more connections. Resolves when the last one has ended. */
  close(): Promise<void>;
}

/** What a machine without IPv6 answers. */
const NO_IPV6_CODES = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];
/** What means the same on such a machine. */
const IN_IPV4 = new Map([
  ['::', '0.0.0.0'],
  ['::1', '127.0.0.1'],
]);
/** A port that is free at one address is seldom taken at another. */
const MAX_PICKS = 10;

/**
 * Makes the server listen. Connections at all addresses are the server's alike.
 * @throws what the system says: EADDRINUSE, EADDRNOTAVAIL, EACCES, with the address and the port
 */
export async function listenAt(server: Server, { addresses, port }: ListenAddress): Promise<Listening> {
  const places = distinct(addresses);
  for (let picks = 1; ; picks += 1) {
    const bound: Server[] = [];
    let picked = port;
    try {
      for (const address of places) {
        const door = bound.length === 0 ? server : doorTo(server);
        if (!(await bind(door, address, picked, places))) continue;
        bound.push(door);
        picked = (server.address() as AddressInfo).port;
      }
      return { port: picked, close: () => closeAll(bound) };
    } catch (error) {
      await closeAll(bound);
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || picks === MAX_PICKS) throw error;
    }
  }
}

/** IPv4 first, and without those that another one covers: the system would say that they are in use. */
function distinct(addresses: readonly string[]): string[] {
  const all = new Set(addresses);
  if (all.has('::')) return ['::'];
  const [ipv4, ipv6] = [[...all].filter(isIPv4), [...all].filter((address) => !isIPv4(address))];
  return [...(all.has('0.0.0.0') ? ['0.0.0.0'] : ipv4), ...ipv6];
}

/** For connections at a further address, which are the server's. */
function doorTo(server: Server): Server {
  // An HTTP server takes sockets whose client has ended its half. It is asked, because the supervisor listens too, and loads no HTTP.
  const { allowHalfOpen = false } = server as Server & { allowHalfOpen?: boolean };
  const door = createServer({ noDelay: true, allowHalfOpen });
  door.on('connection', (socket: Socket) => server.emit('connection', socket));
  return door;
}

/** False: there is no IPv6, and the address that stands in for this one is among the others. */
async function bind(
  server: Server,
  address: string,
  port: number,
  others: readonly string[],
): Promise<boolean> {
  const inIpv4 = IN_IPV4.get(address);
  try {
    await listen(server, address, port);
  } catch (error) {
    if (inIpv4 === undefined || !NO_IPV6_CODES.includes(codeOf(error))) throw error;
    if (others.some((other) => other === inIpv4 || other === '0.0.0.0')) return false;
    await listen(server, inIpv4, port);
  }
  // A connection that could not be accepted, for want of file descriptors: others still can.
  server.on('error', () => {});
  return true;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  await once(server, 'listening');
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(
    servers
      .filter(({ listening }) => listening)
      .map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
