/** Listens on one port at several addresses of this machine. */
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv4, type Server, type Socket } from 'node:net';

export interface ListenAddress {
  /** IP addresses of this machine. `::` means all IPv6 and IPv4 addresses, and `0.0.0.0` means all IPv4 addresses. */
  addresses: readonly string[];
  /** The port to use at every address. 0 picks a port that is free at every address. */
  port: number;
}

export interface Listening {
  port: number;
  /** Stops accepting connections. Resolves when the last connection has ended. */
  close(): Promise<void>;
}

/** The error codes of listening at an IPv6 address on a machine without IPv6. */
const NO_IPV6_CODES = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];
/** The IPv4 addresses to use instead of these IPv6 addresses on a machine without IPv6. */
const IN_IPV4 = new Map([
  ['::', '0.0.0.0'],
  ['::1', '127.0.0.1'],
]);
/** Maximum attempts to find a port that is free at every address. One is usually enough: few ports are free at one address only. */
const MAX_PICKS = 10;

/**
 * Makes the server listen at all addresses.
 * @throws the operating system's error (EADDRINUSE, EADDRNOTAVAIL, EACCES) with the address and the port
 */
export async function listenAt(server: Server, { addresses, port }: ListenAddress): Promise<Listening> {
  const toBind = distinct(addresses);
  for (let picks = 1; ; picks += 1) {
    const bound: Server[] = [];
    let picked = port;
    try {
      for (const address of toBind) {
        const listener = bound.length === 0 ? server : forwarderTo(server);
        if (!(await bind(listener, address, picked, toBind))) continue;
        bound.push(listener);
        picked = (server.address() as AddressInfo).port;
      }
      return { port: picked, close: () => closeAll(bound) };
    } catch (error) {
      await closeAll(bound);
      if (port !== 0 || codeOf(error) !== 'EADDRINUSE' || picks === MAX_PICKS) throw error;
    }
  }
}

/** Puts IPv4 addresses first. Leaves out addresses that a wildcard covers, because these would fail to bind with EADDRINUSE. */
function distinct(addresses: readonly string[]): string[] {
  const all = new Set(addresses);
  if (all.has('::')) return ['::'];
  const [ipv4, ipv6] = [[...all].filter(isIPv4), [...all].filter((address) => !isIPv4(address))];
  return [...(all.has('0.0.0.0') ? ['0.0.0.0'] : ipv4), ...ipv6];
}

/** Creates a listener that passes its connections to `server`, for an address other than the first. */
function forwarderTo(server: Server): Server {
  // HTTP servers allow half-open sockets. Read the property instead of checking for the class `http.Server`, because the supervisor would
  // then have to load the HTTP module.
  const { allowHalfOpen = false } = server as Server & { allowHalfOpen?: boolean };
  const forwarder = createServer({ noDelay: true, allowHalfOpen });
  forwarder.on('connection', (socket: Socket) => server.emit('connection', socket));
  return forwarder;
}

/** @returns false if the machine has no IPv6 and `others` already covers the equivalent IPv4 address, so there is nothing to bind */
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
  // An error on one connection, such as too few file descriptors to accept it, must not stop the server.
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
