/**
 * The links in tracked messages. Each link belongs to one recipient, and a click link contains its target.
 *
 *   <base>/t/o/<token>            the pixel
 *   <base>/t/c/<token>/<target>   a link; the target is its URL in base64url
 *   <base>/t/u/<token>            unsubscribing (RFC 8058)
 *
 * The token is base64url of 48 bytes: the uuids of project and email, the index of the recipient, and 15 bytes of HMAC-SHA-256 over these
 * values, the kind and the target. So it is impossible to forge a link with another target, to turn one kind of link into another, or to
 * guess the link of another recipient. A click is redirected without a database query.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The label of the key in `Sealer.deriveKey`. */
export const TRACKING_KEY = 'tracking';

/** The recipient that a link belongs to. */
export interface TrackedRecipient {
  /** UUID of the project. */
  projectId: string;
  /** UUID of the email. */
  emailId: string;
  /** Index of the recipient in the envelope. */
  recipientIndex: number;
}

/** The kind of link: open, click or unsubscribe. */
type Kind = 'o' | 'c' | 'u';

const ID_BYTES = 33;
const MAC_BYTES = 15;
const TOKEN = /^[A-Za-z0-9_-]{64}$/;
/**
 * The maximum length of a target. Outlook and some filters truncate URLs over 2,000 characters. With base URL and token, the link stays
 * shorter.
 */
const MAX_TARGET = 1_300;
/**
 * The length of the longest name in DNS. Stops this attack: converting 1,300 characters to A-labels takes milliseconds, and an email may
 * contain many links.
 */
const MAX_AUTHORITY = 253;
/** Matches the authority of a URL. Browsers accept any number of slashes or backslashes before it. */
const AUTHORITY = /^[^:]*:[/\\\s]*([^/\\?#]*)/;

export class TrackingLinks {
  readonly #key: KeyObject;

  /** @param key a secret key that is used for nothing else: `sealer.deriveKey(TRACKING_KEY)` */
  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** @param baseUrl the base URL without a trailing slash, as for all methods */
  pixel(baseUrl: string, of: TrackedRecipient): string {
    return `${baseUrl}/t/o/${this.#mint('o', of, '')}`;
  }

  /**
   * Returns null for URLs that are not tracked: URLs whose scheme is neither http nor https, and URLs that are too long.
   * @param href a URL that is resolved as browsers do, without a base URL
   */
  click(baseUrl: string, of: TrackedRecipient, href: string): string | null {
    const target = targetOf(href);
    if (target === null) return null;
    return `${baseUrl}/t/c/${this.#mint('c', of, target)}/${Buffer.from(target).toString('base64url')}`;
  }

  unsubscribe(baseUrl: string, of: TrackedRecipient): string {
    return `${baseUrl}/t/u/${this.#mint('u', of, '')}`;
  }

  /** The recipient of a pixel. Null if Posthorn did not create the token for a pixel. */
  verifyPixel(token: string): TrackedRecipient | null {
    return this.#verify('o', token, '');
  }

  /** The recipient of a click link, and its target: an http or https URL in ASCII. Null if Posthorn did not create the link. */
  verifyClick(token: string, target: string): { of: TrackedRecipient; url: string } | null {
    if (target.length > MAX_TARGET * 2) return null;
    const url = Buffer.from(target, 'base64url').toString();
    const of = this.#verify('c', token, url);
    return of === null ? null : { of, url };
  }

  verifyUnsubscribe(token: string): TrackedRecipient | null {
    return this.#verify('u', token, '');
  }

  #mint(kind: Kind, { projectId, emailId, recipientIndex }: TrackedRecipient, target: string): string {
    const token = Buffer.allocUnsafe(ID_BYTES + MAC_BYTES);
    writeUuid(token, projectId, 0);
    writeUuid(token, emailId, 16);
    token.writeUInt8(recipientIndex, 32);
    this.#mac(kind, token, target).copy(token, ID_BYTES, 0, MAC_BYTES);
    return token.toString('base64url');
  }

  #verify(kind: Kind, text: string, target: string): TrackedRecipient | null {
    if (!TOKEN.test(text)) return null;
    const token = Buffer.from(text, 'base64url');
    const mac = this.#mac(kind, token, target).subarray(0, MAC_BYTES);
    if (!timingSafeEqual(mac, token.subarray(ID_BYTES))) return null;
    return {
      projectId: readUuid(token, 0),
      emailId: readUuid(token, 16),
      recipientIndex: token.readUInt8(32),
    };
  }

  #mac(kind: Kind, token: Buffer, target: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(kind)
      .update(token.subarray(0, ID_BYTES))
      .update(target)
      .digest();
  }
}

/** The URL in ASCII, as a browser would request it. Null if the URL is not tracked. */
function targetOf(href: string): string | null {
  const [, authority = ''] = AUTHORITY.exec(href) ?? [];
  if (href.length > MAX_TARGET || authority.length > MAX_AUTHORITY) return null;
  const url = URL.parse(href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href.length > MAX_TARGET ? null : url.href;
}

function writeUuid(bytes: Buffer, uuid: string, at: number): void {
  if (bytes.write(uuid.replaceAll('-', ''), at, 16, 'hex') !== 16) throw new Error('not a uuid');
}

function readUuid(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
