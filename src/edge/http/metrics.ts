/** `/metrics`: who may read it (docs/operate/metrics.md). It shows destinations and volumes, which are nobody else's. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../mail/deliver/smtp/host-address.ts';
import { AppError } from '../../model/app-error.ts';
import { bearerToken } from './guard.ts';

/** Of the text format. */
export const METRICS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsOptions {
  /** Null: nobody but, in development, this machine. */
  token: string | null;
  isDevelopment: boolean;
  /** Resolves with the text. */
  read(): Promise<string>;
}

/** A proxy was on the way: whoever asks is elsewhere. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * Resolves with the text of an answer.
 * @throws AppError missing-api-key, invalid-api-key; not-found where nobody may read it like that
 */
export function answerMetrics(
  request: IncomingMessage,
  { token, isDevelopment, read }: MetricsOptions,
): Promise<string> {
  if (token === null) {
    if (!isDevelopment || !isFromHere(request))
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

/** A name of somebody else's that leads here is one by which a browser is made to ask (DNS rebinding). */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  if (!isLoopback(peer) || FORWARDING_HEADERS.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${headers.host}`);
  return url !== null && isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
