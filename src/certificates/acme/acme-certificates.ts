/**
 * Certificates obtained with ACME. Every process presents the certificates that are in the database. If a certificate is due, only one
 * process obtains it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { within } from '../../concurrency/within.ts';
import { acmeOrders, certificateExpiry } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { selfSigned } from '../../rfc/acme/certificates.ts';
import type { Certificates, ChallengeResponses } from '../certificates.ts';
import { AcmeClient, AcmeFault } from './acme-client.ts';
import { type CertificateRow, CertificateRows } from './certificate-rows.ts';
import {
  type Challenge,
  type ChallengeType,
  forgetChallenges,
  readChallenges,
  writeChallenge,
} from './challenges.ts';
import { type Obtained, obtainCertificate } from './obtain-certificate.ts';
import { TIMINGS } from './timings.ts';

export interface AcmeOptions {
  database: Database;
  sealer: Sealer;
  /** URL of the certificate authority. */
  directory: string;
  /** Names of this process, in A-labels. Clients that ask for another name get the certificate of the first name. */
  names: readonly string[];
  /** Challenge types that may be used, in order of preference. */
  types: readonly ChallengeType[];
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Timings for tests. Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'scanMs'>;
}

interface Presented {
  sealed: string;
  context: SecureContext;
}

/** The interval at which a process records the names that it uses. */
const RECORD_NAMES_MS = 60 * 60_000;
const CLOSE_TIMEOUT_MS = 1_000;

export class AcmeCertificates implements Certificates, AsyncDisposable {
  readonly available: Promise<void>;
  readonly #markAvailable: () => void;
  readonly #options: AcmeOptions;
  readonly #rows: CertificateRows;
  readonly #ending = new AbortController();
  /** Presented certificates by name. */
  readonly #presented = new Map<string, Presented>();
  /** The sealed certificates that could not be decrypted. They are remembered so that each is logged only once. */
  readonly #unusable = new Set<string>();
  #challenges: readonly Challenge[] = [];
  #recordedAtMs = Number.NEGATIVE_INFINITY;
  #polling: Promise<void> = Promise.resolve();
  #obtaining: Promise<void> | null = null;

  private constructor(options: AcmeOptions) {
    this.#options = options;
    this.#rows = new CertificateRows(options.database, options.sealer, options.directory);
    ({ promise: this.available, resolve: this.#markAvailable } = Promise.withResolvers<void>());
  }

  /** Reads the existing certificates and polls for changes in the background. @throws database errors */
  static async open(options: AcmeOptions): Promise<AcmeCertificates> {
    const certificates = new AcmeCertificates(options);
    await certificates.#rows.makeFailedDueSoon(options.names);
    await certificates.#poll();
    certificates.#polling = certificates.#keepPolling();
    return certificates;
  }

  readonly secureContext = (name?: string): SecureContext | null => {
    const names = name === undefined ? this.#options.names : [name.toLowerCase(), ...this.#options.names];
    for (const each of names) {
      const presented = this.#presented.get(each);
      if (presented !== undefined) return presented.context;
    }
    return null;
  };

  /** Responses to challenges. They are read from memory, because anyone can request them, and must not cause database queries. */
  readonly challengeResponses: ChallengeResponses = {
    http: (token) =>
      this.#challenges.find((each) => each.type === 'http-01' && each.token === token)?.keyAuthorization ??
      null,
    tls: (name) => {
      const requested = name.toLowerCase();
      const challenge = this.#challenges.find(
        (each) => each.type === 'tls-alpn-01' && each.name === requested,
      );
      return challenge === undefined
        ? null
        : createSecureContext(selfSigned(requested, challenge.keyAuthorization, clock.now()));
    },
  };

  async #keepPolling(): Promise<void> {
    const { signal } = this.#ending;
    const { scanMs } = this.#options.timings ?? TIMINGS;
    for (;;) {
      await sleep(scanMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#poll().catch((error: unknown) => this.#report(error));
    }
  }

  async #poll(): Promise<void> {
    const { database, names } = this.#options;
    if (performance.now() - this.#recordedAtMs > RECORD_NAMES_MS) {
      await this.#rows.recordInUse(names);
      this.#recordedAtMs = performance.now();
    }
    const rows = await this.#rows.read();
    this.#challenges = await readChallenges(database);
    for (const row of rows) this.#present(row);
    const ends = rows.flatMap(({ name, expiresAt }) =>
      names.includes(name) && expiresAt !== null ? [expiresAt.getTime() / 1_000] : [],
    );
    certificateExpiry.set(ends.length === 0 ? 0 : Math.min(...ends));
    if (this.secureContext() !== null) this.#markAvailable();
    if (rows.some(({ isDue }) => isDue))
      this.#obtaining ??= this.#obtain().finally(() => {
        this.#obtaining = null;
      });
  }

  #present({ name, sealed }: CertificateRow): void {
    if (sealed === null || this.#presented.get(name)?.sealed === sealed || this.#unusable.has(sealed)) return;
    try {
      const { chain, key } = this.#rows.open(name, sealed);
      this.#presented.set(name, { sealed, context: createSecureContext({ cert: chain, key }) });
    } catch (error) {
      this.#unusable.add(sealed);
      this.#options.logger.error({ err: error, name }, LOG_MESSAGES.certificateUnusable);
    }
  }

  async #obtain(): Promise<void> {
    try {
      const claimed = await this.#rows.claim();
      if (claimed === null) return;
      try {
        await this.#order(claimed);
      } finally {
        await forgetChallenges(this.#options.database, claimed.name);
      }
    } catch (error) {
      this.#report(error);
    }
  }

  async #order({ name, failures }: { name: string; failures: number }): Promise<void> {
    const { database, directory, types, logger } = this.#options;
    const tooLong = AbortSignal.timeout(TIMINGS.orderMs);
    const signal = AbortSignal.any([this.#ending.signal, tooLong]);
    try {
      const accountKey = await this.#rows.accountKey();
      await using client = await AcmeClient.open(directory, accountKey, signal);
      const first = failures % types.length;
      const obtained = await obtainCertificate({
        client,
        accountKey,
        name,
        // Perhaps the authority cannot reach the port that this challenge type needs, so the next attempt begins with the other type.
        types: [...types.slice(first), ...types.slice(0, first)],
        async publish(challenge) {
          await writeChallenge(database, challenge);
          await sleep(TIMINGS.spreadMs, undefined, { signal });
        },
        signal,
      });
      const { expiresAt } = obtained;
      await this.#rows.store(name, obtained, renewAt(obtained, clock.nowMs()));
      acmeOrders.inc({ result: 'issued' });
      logger.info({ name, expiresAt: expiresAt.toISOString() }, LOG_MESSAGES.certificateObtained);
    } catch (error) {
      if (this.#ending.signal.aborted) return await this.#rows.release(name);
      if (!(error instanceof AcmeFault) && !tooLong.aborted) throw error;
      const reason = tooLong.aborted ? 'the ACME server took too long' : (error as AcmeFault).message;
      const retryAfterMs = error instanceof AcmeFault ? (error.retryAfterMs ?? 0) : 0;
      const nextInMs = Math.max(retryAfterMs, delayMs(failures + 1));
      await this.#rows.fail(name, failures + 1, reason, nextInMs);
      acmeOrders.inc({ result: 'failed' });
      logger.error({ name, reason, nextInMs }, LOG_MESSAGES.certificateNotObtained);
    }
  }

  #report(error: unknown): void {
    if (this.#ending.signal.aborted || isDatabaseAway(error)) return;
    this.#options.logger.error({ err: error }, LOG_MESSAGES.certificatesNotChecked);
  }

  /** Releases the claim of a pending order. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await within(CLOSE_TIMEOUT_MS, Promise.all([this.#polling, this.#obtaining]), null);
  }
}

/**
 * The time to renew a certificate: when about a third of its lifetime is left. It varies randomly, so that not all machines renew at once.
 * If it is already in the past, a clock is wrong, and the time is `firstDelayMs` from now instead, because authorities limit how many
 * certificates they issue.
 */
export function renewAt(
  { notBefore, expiresAt }: Pick<Obtained, 'notBefore' | 'expiresAt'>,
  nowMs: number,
  random: number = Math.random(),
): Date {
  const lifeMs = expiresAt.getTime() - notBefore.getTime();
  const dueMs = expiresAt.getTime() - lifeMs / 3 - (random * lifeMs) / 30;
  return new Date(Math.max(dueMs, nowMs + TIMINGS.firstDelayMs));
}

/** The delay before the next attempt after this many failures in a row, varied randomly by up to 10 %. */
export function delayMs(failures: number, random: number = Math.random()): number {
  const doubled = Math.min(TIMINGS.firstDelayMs * 2 ** (failures - 1), TIMINGS.maxDelayMs);
  return Math.round(doubled * (1 + random / 10));
}
