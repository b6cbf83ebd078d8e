/** The API on a port. */
import type { FastifyInstance } from 'fastify';
import { type ApiOptions, buildApi } from './api.ts';
import type { HttpServices } from './services.ts';

export interface HttpOptions extends ApiOptions {
  /** 0 picks a free one. */
  port: number;
}

/** What is in flight when the server closes may take this long. */
const CLOSE_TIMEOUT_MS = 5_000;
const REAP_INTERVAL_MS = 50;
/** Of a machine without IPv6. */
const NO_IPV6_CODES = ['EAFNOSUPPORT', 'EADDRNOTAVAIL'];

/**
 * Listens on all addresses, IPv6 and IPv4. Disposing finishes what is in flight, telling its clients to close, and
 * breaks off what takes longer than five seconds.
 * @throws when the port is taken, or a trusted proxy is not an address or a range
 */
export async function startHttp(
  services: HttpServices,
  options: HttpOptions,
): Promise<{ port: number } & AsyncDisposable> {
  const app = await buildApi(services, options);
  announceClose(app);
  try {
    await listen(app, options.port);
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    [Symbol.asyncDispose]: () => close(app),
  };
}

async function listen(app: FastifyInstance, port: number): Promise<void> {
  try {
    await app.listen({ host: '::', port });
  } catch (error) {
    if (!NO_IPV6_CODES.includes((error as { code?: string }).code ?? '')) throw error;
    await app.listen({ host: '0.0.0.0', port });
  }
}

/** An answer that is sent while closing says so: its client would use the connection again. */
function announceClose(app: FastifyInstance): void {
  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
}

async function close(app: FastifyInstance): Promise<void> {
  // Node closes idle connections once, when the server closes; those that become idle later would be waited for.
  const reap = setInterval(() => app.server.closeIdleConnections(), REAP_INTERVAL_MS);
  const giveUp = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  try {
    await app.close();
  } finally {
    clearInterval(reap);
    clearTimeout(giveUp);
  }
}
