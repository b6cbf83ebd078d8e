/**
 * Signed URLs of the parts of a routed message. A program that got the message fetches its files from them:
 *
 *   <server>/routed/{route}/{message}/attachments/{part}?expires=<unix seconds>&signature=<signature>
 *   <server>/routed/{route}/{message}/raw?expires=<unix seconds>&signature=<signature>
 *
 * The URL alone opens nothing: the door also needs the secret of the route, or an API key of the project with the scope routes:read. The
 * signature is base64url of the uuid of the project and 16 bytes of HMAC-SHA-256 over the project, the route, the message and the expiry.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import type { MessageLinks } from './question.ts';

/** The label of this key for `Sealer.deriveKey`. */
export const ROUTE_LINKS_KEY = 'route-links';
/** How long a link is valid after it was made. */
const LINK_SECONDS = 86_400;

const UUID_BYTES = 16;
const SIGNATURE = /^[A-Za-z0-9_-]{43}$/;
const EXPIRES = /^[0-9]{10,12}$/;

/** A message of a route, as uuids. */
export interface RouteMessageKey {
  projectId: string;
  routeId: string;
  messageId: string;
}

export class RouteLinks {
  readonly #key: KeyObject;
  readonly #baseUrl: () => string;

  /**
   * @param key a secret key that has no other use: `sealer.deriveKey(ROUTE_LINKS_KEY)`
   * @param baseUrl the URL of this server, without a trailing slash
   */
  constructor(key: KeyObject, baseUrl: () => string) {
    this.#key = key;
    this.#baseUrl = baseUrl;
  }

  of(message: RouteMessageKey): MessageLinks {
    const expires = Math.floor(clock.nowMs() / 1_000) + LINK_SECONDS;
    const project = Buffer.from(message.projectId.replaceAll('-', ''), 'hex');
    const signature = Buffer.concat([project, this.#mac(message, expires)]).toString('base64url');
    const path = `routed/${encodeId('rt', message.routeId)}/${encodeId('rm', message.messageId)}`;
    return { base: `${this.#baseUrl()}/${path}`, query: `?expires=${expires}&signature=${signature}` };
  }

  /** @returns the project of the message; null if the signature is wrong or has expired */
  verify(
    message: Omit<RouteMessageKey, 'projectId'>,
    { expires, signature }: { expires: string; signature: string },
  ): string | null {
    if (!SIGNATURE.test(signature) || !EXPIRES.test(expires)) return null;
    const bytes = Buffer.from(signature, 'base64url');
    const hex = bytes.toString('hex', 0, UUID_BYTES);
    const projectId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const mac = this.#mac({ ...message, projectId }, Number(expires));
    const isRight = timingSafeEqual(mac, bytes.subarray(UUID_BYTES));
    return isRight && Number(expires) * 1_000 > clock.nowMs() ? projectId : null;
  }

  #mac({ projectId, routeId, messageId }: RouteMessageKey, expires: number): Buffer {
    return createHmac('sha256', this.#key)
      .update(`${projectId} ${routeId} ${messageId} ${expires}`)
      .digest()
      .subarray(0, UUID_BYTES);
  }
}
