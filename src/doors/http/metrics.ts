/** Access control for `/metrics` (docs/operate/metrics.md). Metrics are private because they show destinations and volumes. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../sending/deliver/smtp/host-address.ts';
import { AppError } from '../../model/app-error.ts';
import { bearerToken } from './guard.ts';

/** The media type of the Prometheus text format. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  /** The token that clients must send. If null, only this machine may read the metrics, and only if `allowsLocalRequests`. */
  token: string | null;
  allowsLocalRequests: boolean;
  /** Resolves with the metrics as text. */
  read(): Promise<string>;
}

/** Headers that proxies add. A request with one of these headers was forwarded, so the client may be another machine. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Whether a service without a token serves metrics to its own machine, so that operators can try metrics out. A service reachable from
 * other machines may be behind a proxy that hides the real client.
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
 * @throws AppError missing-api-key or invalid-api-key if the token is missing or wrong; not-found if no token is configured, unless this
 * machine may read the metrics without a token and sent the request
 */
export function serveMetrics(
  request: IncomingMessage,
  { token, allowsLocalRequests, read }: MetricsOptions,
): Promise<string> {
  if (token === null) {
    if (!allowsLocalRequests || !isFromHere(request))
      throw new AppError(
        'not-found',
        'To read metrics here, set POSTHORN_METRICS_TOKEN and send it as Authorization: Bearer <token>.',
      );
  } else {
    const given = bearerToken(request.headers.authorization);
    if (given === null)
      throw new AppError(
        'missing-api-key',
        'Send POSTHORN_METRICS_TOKEN as Authorization: Bearer <token>. An API key does not work here.',
      );
    // Compare hashes in constant time. An early exit would reveal how much of the token was right.
    if (!timingSafeEqual(sha256(given), sha256(token)))
      throw new AppError('invalid-api-key', 'The token is wrong. Send the value of POSTHORN_METRICS_TOKEN.');
  }
  return read();
}

/**
 * Whether the request comes from this machine. Attack: DNS rebinding. A web page reaches this port through the page's own host name, which
 * resolves to this machine, so the Host header must be local. HTTP/1.0 is rejected because nginx forwards with HTTP/1.0 and by default
 * without a header that names the client.
 */
function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  if (!isLoopback(peer) || httpVersion === '1.0') return false;
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host}`);
  return url !== null && isLoopback(hostOf(url));
}

/** The host name of a URL. IPv6 addresses are returned without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
