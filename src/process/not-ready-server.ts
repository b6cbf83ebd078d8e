/** Serves the port of the API while the start waits for the database: the service is alive but not ready. */
import { createServer, type ServerResponse } from 'node:http';
import { COMMON_HEADERS, newRequestId, problemResponse } from '../doors/http/problem.ts';
import { listenAt, type ListenAddress } from '../doors/tcp/listen.ts';
import { unavailable } from '../model/app-error.ts';

/** The time limit for receiving a request. Health probes are much faster. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 100;

export interface NotReadyServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * `/healthz` returns 200. All other paths return 503 with the reason and `Retry-After` (docs/operate/health.md).
 * @param reason returns the reason as a sentence without secrets, which is sent to clients
 * @throws the errors of `listenAt`
 */
export async function openNotReadyServer(
  listenAddress: ListenAddress,
  reason: () => string,
): Promise<NotReadyServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    ({ url = '' }, response) => {
      // Close each connection, because a connection that stays open would delay the process that opens this port next.
      response.setHeader('connection', 'close');
      if (url.replace(/\?.*/s, '') === '/healthz') answerAlive(response);
      else answerUnavailable(response, reason());
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
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

function answerAlive(response: ServerResponse): void {
  response.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ status: 'ok' }));
}

function answerUnavailable(response: ServerResponse, reason: string): void {
  const { status, headers, body } = problemResponse(unavailable(reason), newRequestId());
  response.writeHead(status, headers).end(body);
}
