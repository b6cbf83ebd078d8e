/** `/metrics`: who may read it (docs/operate/metrics.md). It shows destinations and volumes, which are nobody else's. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../sending/deliver/smtp/host-address.ts';
import { AppError } from '../../model/app-error.ts';
import { bearerToken } from './guard.ts';

/** Of the text format. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  /** Null: nobody but, where that is allowed, this machine. */
  token: string | null;
  answersThisMachine: boolean;
  /** Resolves with the text. */
  read(): Promise<string>;
}

/** A proxy was on the way: whoever asks is elsewhere. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Whether a service without a token answers its own machine: one that is tried out there. Where others reach it, there may be a
 * proxy in front that hides who they are.
 */
export function answersThisMachine(config: {
  environment: 'development' | 'production';
  baseUrl: string | null;
  trustedProxies: readonly string[];
}): boolean {
  const { environment, baseUrl, trustedProxies } = config;
  const isHere = baseUrl === null || isLoopback(hostOf(new URL(baseUrl)));
  return environment === 'development' && isHere && trustedProxies.length === 0;
}

/**
 * Resolves with the text of an answer.
 * @throws AppError missing-api-key, invalid-api-key; not-found where nobody may read it like that
 */
export function answerMetrics(
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
        'Send POSTHORN_METRICS_TOKEN as Authorization: Bearer <token>; an API key does not do.',
      );
    // As hashes, which are of one length: a comparison that ends early tells how much was right.
    if (!timingSafeEqual(sha256(given), sha256(token)))
      throw new AppError('invalid-api-key', 'The token is not POSTHORN_METRICS_TOKEN.');
  }
  return read();
}

/**
 * A name of somebody else's that leads here is one by which a browser is made to ask (DNS rebinding). HTTP/1.0 is what nginx
 * speaks to those behind it, and by default it says nothing of who is in front.
 */
function isFromHere({ socket, headers, httpVersion }: IncomingMessage): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  if (!isLoopback(peer) || httpVersion === '1.0') return false;
  if (FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host}`);
  return url !== null && isLoopback(hostOf(url));
}

/** Of IPv6 without the brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
