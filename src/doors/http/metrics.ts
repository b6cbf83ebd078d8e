/** Who may read `/metrics` (docs/operate/metrics.md): it shows destinations and volumes, which are private. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../sending/deliver/smtp/host-address.ts';
import { AppError } from '../../model/app-error.ts';
import { bearerToken } from './guard.ts';

/** The text format of Prometheus. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  /** Null: only this machine may read, and only where that is allowed. */
  token: string | null;
  answersThisMachine: boolean;
  /** Resolves with the text. */
  read(): Promise<string>;
}

/** Each says that a proxy was on the way: the client is elsewhere. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Whether a service without a token answers its own machine, where somebody tries it out. A service that others reach
 * may have a proxy in front, which hides who they are.
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
 * @throws AppError missing-api-key, invalid-api-key; not-found without a token, unless this machine may read
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
    // Hashes have one length, and a comparison that ended early would tell how much was right.
    if (!timingSafeEqual(sha256(given), sha256(token)))
      throw new AppError('invalid-api-key', 'The token is not POSTHORN_METRICS_TOKEN.');
  }
  return read();
}

/**
 * A foreign name that leads here is how a page makes a browser ask for it (DNS rebinding). nginx speaks HTTP/1.0 to the
 * servers behind it, and by default it does not say who the client is.
 */
function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  if (!isLoopback(peer) || httpVersion === '1.0') return false;
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host}`);
  return url !== null && isLoopback(hostOf(url));
}

/** IPv6 addresses come without their brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
