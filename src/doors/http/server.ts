/** Serves the API on a port. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { within } from '../../concurrency/within.ts';
import { listenAt, type ListenAddress } from '../tcp/listen.ts';
import { type ApiOptions, buildApi } from './api.ts';
import { type HttpsOptions, startHttpsListener } from './https-listener.ts';
import type { HttpServices } from './services.ts';

export interface HttpOptions extends ApiOptions {
  listenAddress: ListenAddress;
  /** Absent if there is no TLS port. */
  https?: HttpsOptions;
}

/** Time limit for requests in flight when the server closes. */
const CLOSE_TIMEOUT_MS = 5_000;
/** How long new requests are still accepted while requests are in flight, because load balancers need time to notice the shutdown. */
const DRAIN_MS = 3_000;
const REAP_INTERVAL_MS = 50;

/**
 * Starts the server. On disposal, the server finishes the requests in flight, asks the clients to close their connections, and aborts
 * requests that take longer than five seconds. The server keeps listening until no request is in flight, for three seconds at most.
 * @throws the errors of `listenAt`, and an error if a trusted proxy is not an address or a CIDR range
 */
export async function startHttp(
  services: HttpServices,
  options: HttpOptions,
): Promise<{ port: number; httpsPort: number | null } & AsyncDisposable> {
  const app = await buildApi(services, options);
  const traffic = watchTraffic(app);
  try {
    await app.ready();
    const plain = await listenAt(app.server, options.listenAddress);
    const { https } = options;
    const secure = https === undefined ? null : await startHttpsListener(app.server, https);
    const closePorts = () => Promise.all([plain.close(), secure?.close()]);
    return {
      port: plain.port,
      httpsPort: secure?.port ?? null,
      [Symbol.asyncDispose]() {
        // End the event streams, which would never end by themselves, and the requests that wait for mail.
        app.stopping.abort();
        options.mailClient?.services.live.end();
        options.dev?.end();
        return close(app, closePorts, traffic);
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

function watchTraffic(app: FastifyInstance) {
  /**
   * How many requests are in flight, by connection. They are counted by connection because, when a connection is lost, Node.js does not
   * emit `close` for every response on it.
   */
  const inFlight = new Map<Socket, number>();
  let isClosing = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (socket: Socket, left: number) => {
    if (left > 0) inFlight.set(socket, left);
    else inFlight.delete(socket);
    if (isClosing && inFlight.size === 0) resolve();
  };
  app.server.on('connection', (socket: Socket) => socket.once('close', () => leave(socket, 0)));
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1);
    response.once('close', () => leave(socket, (inFlight.get(socket) ?? 1) - 1));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
  return {
    /** Makes responses sent during shutdown contain `Connection: close`. Otherwise clients would reuse the connections. */
    announceClose() {
      isClosing = true;
      if (inFlight.size === 0) resolve();
    },
    /** Whether no request is in flight. */
    get isQuiet() {
      return inFlight.size === 0;
    },
    /** Resolves when no request is in flight. Call `announceClose` first. */
    quiet: promise,
  };
}

async function close(
  app: FastifyInstance,
  closePorts: () => Promise<unknown>,
  traffic: ReturnType<typeof watchTraffic>,
): Promise<void> {
  const { server } = app;
  // Node.js closes idle connections only once, when the server closes. It never closes connections that have not had a request yet.
  const reap = setInterval(() => {
    if (server.listening || !traffic.isQuiet) server.closeIdleConnections();
    else server.closeAllConnections();
  }, REAP_INTERVAL_MS);
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  traffic.announceClose();
  await within(DRAIN_MS, traffic.quiet, undefined);
  try {
    await closePorts();
    await app.close();
  } finally {
    clearInterval(reap);
    clearTimeout(timer);
  }
}
