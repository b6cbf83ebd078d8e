/** Whether a message of SNS belongs to our topic, is fresh, and is signed by Amazon. */
import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { LoadingCache } from '../../../db/loading-cache.ts';
import { AppError } from '../../../model/app-error.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import { awsHost } from '../../../net/aws-host.ts';
import type { GuardedClient } from '../../../net/guarded-client.ts';
import type { SnsMessage } from './sns-message.ts';

export interface SnsVerifierOptions {
  /** The one SNS topic that is trusted. */
  topicArn: string;
  /** The one origin for certificates and confirmations; null: that of SNS in the topic's region. */
  endpoint: string | null;
  client: Pick<GuardedClient, 'get'>;
  /** Default: the clock. */
  nowMs?(): number;
}

/** SNS stops trying after this. It holds for the future too: a clock may be wrong by as much. */
const MAX_AGE_MS = 3_600_000;
/** SNS has one certificate at a time for a region, and a successor. */
const MAX_CERTIFICATES = 4;
const CERTIFICATE_TTL_MS = 24 * 3_600_000;
const FETCH_MS = 5_000;
const MAX_CERTIFICATE_BYTES = 16_384;
/** Attack: forged messages that spell one path in many ways would push the certificates in use out of the cache. */
const CERTIFICATE_PATH = /^\/[\w-]+\.pem$/;
/** Attack: forged messages name certificates too. They are fetched one after the other, and few may wait. */
const MAX_WAITING = 8;

const HASHES = { 1: 'sha1', 2: 'sha256' } as const;

export class SnsVerifier {
  readonly #options: SnsVerifierOptions;
  readonly #origin: string;
  readonly #nowMs: () => number;
  readonly #keys: LoadingCache<SigningKey | null>;
  readonly #fetching = new Semaphore(1, { maxWaiting: MAX_WAITING, refusal: unavailable });

  constructor(options: SnsVerifierOptions) {
    this.#options = options;
    // The host of the topic's own region, whole: a bucket called `sns` can have a host that begins the same way.
    const [, , , region = ''] = options.topicArn.split(':');
    this.#origin = options.endpoint ?? `https://${awsHost('sns', region)}`;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#keys = new LoadingCache({
      ttlMs: CERTIFICATE_TTL_MS,
      maxEntries: MAX_CERTIFICATES,
      // Amazon still serves many certificates that have expired, and anybody may name them.
      keeps: (key) => key !== null && this.#isValid(key),
      nowMs: () => performance.now(),
    });
  }

  /** @throws AppError unavailable when the certificate could not be had: the same message may be verified later */
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

  /** Whether a URL leads to SNS. */
  isTrusted(text: string): boolean {
    const url = URL.parse(text);
    return url?.origin === this.#origin && url.username === '' && url.password === '';
  }

  #isValid({ validToMs }: SigningKey): boolean {
    return this.#nowMs() <= validToMs;
  }

  /** Null where the URL leads to no certificate of SNS. */
  #certificateUrl(text: string): string | null {
    const pathname = URL.parse(text)?.pathname ?? '';
    const url = this.#origin + pathname;
    return CERTIFICATE_PATH.test(pathname) && URL.parse(text)?.href === url ? url : null;
  }

  /** Null where the answer is no certificate of SNS. */
  async #fetchKey(url: string): Promise<SigningKey | null> {
    const { httpStatus, responseBody, responseTruncated } = await this.#options.client.get(url, {
      headers: {},
      timeoutMs: FETCH_MS,
      maxKeptBytes: MAX_CERTIFICATE_BYTES,
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
