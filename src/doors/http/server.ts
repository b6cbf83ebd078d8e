/** The API on a port. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { within } from '../../concurrency/within.ts';
import { listenAt, type ListenAddress } from '../tcp/listen.ts';
import { type ApiOptions, buildApi } from './api.ts';
import { type HttpsOptions, startHttpsListener } from './https-listener.ts';
import type { HttpServices } from './services.ts';

export interface HttpOptions extends ApiOptions {
  place: ListenAddress;
  /** Absent: there is no port with TLS. */
  https?: HttpsOptions;
}

/** How long requests in flight may take when the server closes. */
const CLOSE_TIMEOUT_MS = 5_000;
/** While requests are in flight, others are taken for this long: a load balancer needs the time to notice. */
const DRAIN_MS = 3_000;
const REAP_INTERVAL_MS = 50;

/**
 * Disposing finishes what is in flight, telling its clients to close, and
 * breaks off what takes longer than five seconds. Until nothing is in flight, and for three seconds at the most, it goes
 * on listening.
 * @throws as `listenAt` does, and when a trusted proxy is not an address or a range
 */
export async function startHttp(
  services: HttpServices,
  options: HttpOptions,
): Promise<{ port: number; httpsPort: number | null } & AsyncDisposable> {
  const app = await buildApi(services, options);
  const traffic = watchTraffic(app);
  try {
    await app.ready();
    const plain = await listenAt(app.server, options.place);
    const { https } = options;
    const secure = https === undefined ? null : await startHttpsListener(app.server, https);
    const closePorts = () => Promise.all([plain.close(), secure?.close()]);
    return {
      port: plain.port,
      httpsPort: secure?.port ?? null,
      [Symbol.asyncDispose]() {
        // Answers that never end by themselves.
        options.mailClient?.services.live.end();
        return close(app, closePorts, traffic);
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

function watchTraffic(app: FastifyInstance) {
  /** Counts requests by connection: when one breaks off, Node does not close each of its answers. */
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
    /** Answers that are sent while closing say so, or clients would use their connections again. */
    announceClose() {
      isClosing = true;
      if (inFlight.size === 0) resolve();
    },
    /** No request is in flight. */
    get isQuiet() {
      return inFlight.size === 0;
    },
    /** Resolves as soon as it is quiet, once closing is announced. */
    quiet: promise,
  };
}

async function close(
  app: FastifyInstance,
  closePorts: () => Promise<unknown>,
  traffic: ReturnType<typeof watchTraffic>,
): Promise<void> {
  const { server } = app;
  // Node closes idle connections only once, when the server closes, and never those that carried no request yet.
  const reap = setInterval(() => {
    if (server.listening || !traffic.isQuiet) server.closeIdleConnections();
    else server.closeAllConnections();
  }, REAP_INTERVAL_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  traffic.announceClose();
  await within(DRAIN_MS, traffic.quiet, undefined);
  try {
    await closePorts();
    await app.close();
  } finally {
    clearInterval(reap);
    clearTimeout(giveUp);
  }
}
