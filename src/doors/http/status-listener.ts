/** Serves health and metrics on a separate port, for an instance that does not serve the API. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../model/app-error.ts';
import { listenAt, type ListenAddress } from '../tcp/listen.ts';
import { MAX_HEADER_BYTES, onClientError } from './malformed.ts';
import { serveMetrics, METRICS_MEDIA_TYPE, type MetricsOptions } from './metrics.ts';
import { COMMON_HEADERS, newRequestId, nothingHere, problemResponse } from './problem.ts';
import { serveHealth, HEALTH_PATHS } from './readiness.ts';

/** Time limit for a request. No probe takes longer to send its request. */
const REQUEST_TIMEOUT_MS = 5_000;
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
const MAX_CONNECTIONS = 100;
const PATHS = [...HEALTH_PATHS, '/metrics'] as const;
const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

export interface StatusListenerOptions {
  listenAddress: ListenAddress;
  /** Resolves with the reason why the process is not ready. See `Readiness.whyNot`. */
  whyNotReady(): Promise<string | null>;
  metrics: MetricsOptions;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` as the API does.
 * @throws the errors of `listenAt`
 */
export async function startStatusListener({
  listenAddress,
  whyNotReady,
  metrics,
}: StatusListenerOptions): Promise<{ port: number } & AsyncDisposable> {
  async function answer(request: IncomingMessage): Promise<{ mediaType: string; body: string }> {
    const { method, url = '' } = request;
    const path = PATHS.find((each) => each === url.replace(/\?.*/s, ''));
    if (path === undefined) throw nothingHere();
    if (method !== 'GET' && method !== 'HEAD')
      throw new AppError('method-not-allowed', 'This path supports GET, HEAD.');
    if (path === '/metrics')
      return { mediaType: METRICS_MEDIA_TYPE, body: await serveMetrics(request, metrics) };
    return { mediaType: JSON_MEDIA_TYPE, body: JSON.stringify(await serveHealth(path, whyNotReady)) };
  }

  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      answer(request).then(
        ({ mediaType, body }) =>
          response.writeHead(200, { ...COMMON_HEADERS, 'content-type': mediaType }).end(body),
        (error: unknown) => refuse(response, error),
      );
    },
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => keepLatest(sockets, socket));
  server.on('clientError', onClientError);
  const { port, close } = await listenAt(server, listenAddress);
  return {
    port,
    async [Symbol.asyncDispose]() {
      const closed = close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Closes the oldest connection beyond `MAX_CONNECTIONS`, so that silent connections do not lock out probes. */
function keepLatest(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  if (sockets.size <= MAX_CONNECTIONS) return;
  const [oldest] = sockets;
  oldest?.destroy();
}

function refuse(response: ServerResponse, error: unknown): void {
  const problem =
    error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side.');
  const { status, headers, body } = problemResponse(problem, newRequestId());
  if (problem.code === 'method-not-allowed') response.setHeader('allow', 'GET, HEAD');
  response.writeHead(status, headers).end(body);
}
