/** Verifies that an SNS message belongs to our topic, is recent, and is signed by Amazon. */
import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { LoadingCache } from '../../../db/loading-cache.ts';
import { AppError } from '../../../model/app-error.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import { awsHost } from '../../../net/aws-host.ts';
import type { GuardedClient } from '../../../net/guarded-client.ts';
import type { SnsMessage } from './sns-message.ts';

export interface SnsVerifierOptions {
  /** The only trusted SNS topic. */
  topicArn: string;
  /** The only origin for certificates and confirmations; null for SNS in the topic's region. */
  endpoint: string | null;
  client: Pick<GuardedClient, 'get'>;
  /** The current time in milliseconds. Default: the system clock. */
  nowMs?(): number;
}

/**
 * The maximum age of a message, because SNS stops retrying after an hour. Times up to an hour in the future are accepted too, because a
 * clock may be wrong.
 */
const MAX_AGE_MS = 3_600_000;
/** More than enough, because SNS has only one current certificate per region and one successor. */
const MAX_CERTIFICATES = 4;
const CERTIFICATE_TTL_MS = 24 * 3_600_000;
const FETCH_MS = 5_000;
const MAX_CERTIFICATE_BYTES = 16_384;
/** Attack: forged messages with many spellings of one path would evict the certificates in use from the cache. */
const CERTIFICATE_PATH = /^\/[\w-]+\.pem$/;
/** Attack: forged messages name certificates too. So certificates are fetched one at a time, and at most this many requests may wait. */
const MAX_WAITING = 8;

const HASHES = { 1: 'sha1', 2: 'sha256' } as const;

export class SnsVerifier {
  readonly #options: SnsVerifierOptions;
  readonly #origin: string;
  readonly #nowMs: () => number;
  readonly #keys: LoadingCache<SigningKey | null>;
  readonly #fetching = new Semaphore(1, { maxWaiting: MAX_WAITING, makeError: unavailable });

  constructor(options: SnsVerifierOptions) {
    this.#options = options;
    // The origin contains the full host name for the topic's region, because the host of an S3 bucket called `sns` can begin the same
    // way.
    const [, , , region = ''] = options.topicArn.split(':');
    this.#origin = options.endpoint ?? `https://${awsHost('sns', region)}`;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#keys = new LoadingCache({
      ttlMs: CERTIFICATE_TTL_MS,
      maxEntries: MAX_CERTIFICATES,
      // Only valid certificates are cached. Attack: Amazon still serves many expired certificates, and anyone can name them.
      mayCache: (key) => key !== null && this.#isValid(key),
      nowMs: () => performance.now(),
    });
  }

  /** @throws AppError unavailable if the certificate could not be fetched. The same message can be verified later */
  async isGenuine(message: SnsMessage): Promise<boolean> {
    const ageMs = this.#nowMs() - Date.parse(message.timestamp);
    const { topicArn, signingCertUrl, signatureVersion, signature, canonical } = message;
    if (topicArn !== this.#options.topicArn || !(Math.abs(ageMs) <= MAX_AGE_MS)) return false;
    const url = this.#certificateUrl(signingCertUrl);
    if (url === null) return false;
    const key = await this.#keys.get(url, () => this.#fetching.run(() => this.#fetchKey(url)));
    if (key === null || !this.#isValid(key)) return false;
    return verify(HASHES[signatureVersion], Buffer.from(canonical), key.publicKey, signature);
  }

  /** Whether a URL belongs to SNS. */
  isTrusted(text: string): boolean {
    const url = URL.parse(text);
    return url?.origin === this.#origin && url.username === '' && url.password === '';
  }

  #isValid({ validToMs }: SigningKey): boolean {
    return this.#nowMs() <= validToMs;
  }

  /** @returns null if the URL is not the URL of an SNS certificate */
  #certificateUrl(text: string): string | null {
    const pathname = URL.parse(text)?.pathname ?? '';
    const url = this.#origin + pathname;
    return CERTIFICATE_PATH.test(pathname) && URL.parse(text)?.href === url ? url : null;
  }

  /** @returns null if the response is not an SNS certificate */
  async #fetchKey(url: string): Promise<SigningKey | null> {
    const { httpStatus, responseBody, responseTruncated } = await this.#options.client.get(url, {
      headers: {},
      timeoutMs: FETCH_MS,
      maxStoredBytes: MAX_CERTIFICATE_BYTES,
    });
    if (httpStatus === null || httpStatus === 429 || httpStatus >= 500) throw unavailable();
    return httpStatus === 200 && !responseTruncated ? readKey(responseBody) : null;
  }
}

interface SigningKey {
  publicKey: KeyObject;
  validToMs: number;
}

function readKey(pem: string): SigningKey | null {
  try {
    const { publicKey, validTo } = new X509Certificate(pem);
    return publicKey.asymmetricKeyType === 'rsa' ? { publicKey, validToMs: Date.parse(validTo) } : null;
  } catch {
    return null;
  }
}

function unavailable(): AppError {
  return new AppError('unavailable', 'The signature cannot be verified at the moment.', {
    retryAfterSeconds: 20,
  });
}
