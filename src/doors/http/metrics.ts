/** Access control for `/metrics` (docs/operate/metrics.md): metrics show destinations and volumes, which are private. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../sending/deliver/smtp/host-address.ts';
import { AppError } from '../../model/app-error.ts';
import { bearerToken } from './guard.ts';

/** The Prometheus text format. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  /** The token that clients need. Null if only this machine may read the metrics, and only with `answersThisMachine`. */
  token: string | null;
  answersThisMachine: boolean;
  /** Resolves with the metrics as text. */
  read(): Promise<string>;
}

/** Headers that show that a proxy forwarded the request, so that the client is another machine. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Whether a service without a token serves metrics to its own machine, for trying it out. A service reachable by others may have a
 * proxy in front that hides the real client.
 */
export function servesLocalRequests(config: {
  environment: 'development' | 'production';
  baseUrl: string | null;
  trustedProxies: readonly string[];
}): boolean {
  const { environment, baseUrl, trustedProxies } = config;
  const isHere = baseUrl === null || isLoopback(hostOf(new URL(baseUrl)));
  return environment === 'development' && isHere && trustedProxies.length === 0;
}

/**
 * Resolves with the metrics as text.
 * @throws AppError missing-api-key, invalid-api-key; not-found without a token, unless the request comes from this machine
 */
export function serveMetrics(
  request: IncomingMessage,
  { token, answersThisMachine, read }: MetricsOptions,
): Promise<string> {
  if (token === null) {
    if (!answersThisMachine || !isFromHere(request))
      throw new AppError(
        'not-found',
        'To read metrics here, set POSTHORN_METRICS_TOKEN and send it as Authorization: Bearer <token>.',
      );
  } else {
    const given = bearerToken(request.headers.authorization);
    if (given === null)
      throw new AppError(
        'missing-api-key',
        'Send POSTHORN_METRICS_TOKEN as Authorization: Bearer <token>; an API key does not work here.',
      );
    // Compares hashes in constant time: an early exit would reveal how much of the token was right.
    if (!timingSafeEqual(sha256(given), sha256(token)))
      throw new AppError('invalid-api-key', 'The token is not POSTHORN_METRICS_TOKEN.');
  }
  return read();
}

/**
 * Whether the request comes from this machine. The host must be local because of DNS rebinding: a web page reaches this port through a
 * name of its own that resolves here. nginx speaks HTTP/1.0 to its upstreams, and by default it does not say who the client is.
 */
function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  if (!isLoopback(peer) || httpVersion === '1.0') return false;
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host}`);
  return url !== null && isLoopback(hostOf(url));
}

/** IPv6 addresses are returned without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
