/** Certificates that ACME obtains: each process shows what the database has, and one of all obtains what is due. */
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
  /** Address of the certificate authority. */
  directory: string;
  /** Of this process, in A-labels; who asks for none that is here is shown the certificate of the first one. */
  names: readonly string[];
  /** How they may be proved, what is tried first in front. */
  types: readonly ChallengeType[];
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'lookMs'>;
}

interface Shown {
  sealed: string;
  context: SecureContext;
}

/** How often a process says which names it has. */
const WANT_MS = 60 * 60_000;
const GOODBYE_MS = 1_000;

export class AcmeCertificates implements Certificates, AsyncDisposable {
  readonly arrived: Promise<void>;
  readonly #arrive: () => void;
  readonly #options: AcmeOptions;
  readonly #rows: CertificateRows;
  readonly #ending = new AbortController();
  /** By name. */
  readonly #shown = new Map<string, Shown>();
  /** Sealed ones that are of no use: each is told once. */
  readonly #unusable = new Set<string>();
  #challenges: readonly Challenge[] = [];
  #wantedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #obtaining: Promise<void> | null = null;

  private constructor(options: AcmeOptions) {
    this.#options = options;
    this.#rows = new CertificateRows(options.database, options.sealer, options.directory);
    ({ promise: this.arrived, resolve: this.#arrive } = Promise.withResolvers<void>());
  }

  /** Has read what there is. @throws what the database says */
  static async open(options: AcmeOptions): Promise<AcmeCertificates> {
    const certificates = new AcmeCertificates(options);
    await certificates.#rows.hasten(options.names);
    await certificates.#look();
    certificates.#looking = certificates.#keepLooking();
    return certificates;
  }

  readonly secureContext = (name?: string): SecureContext | null => {
    const names = name === undefined ? this.#options.names : [name.toLowerCase(), ...this.#options.names];
    for (const each of names) {
      const shown = this.#shown.get(each);
      if (shown !== undefined) return shown.context;
    }
    return null;
  };

  /** From memory: whoever asks costs the database nothing. */
  readonly answers: ChallengeResponses = {
    http: (token) =>
      this.#challenges.find((each) => each.type === 'http-01' && each.token === token)?.keyAuthorization ??
      null,
    tls: (name) => {
      const asked = name.toLowerCase();
      const challenge = this.#challenges.find((each) => each.type === 'tls-alpn-01' && each.name === asked);
      return challenge === undefined
        ? null
        : createSecureContext(selfSigned(asked, challenge.keyAuthorization, clock.now()));
    },
  };

  async #keepLooking(): Promise<void> {
    const { signal } = this.#ending;
    const { lookMs } = this.#options.timings ?? TIMINGS;
    for (;;) {
      await sleep(lookMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#look().catch((error: unknown) => this.#report(error));
    }
  }

  async #look(): Promise<void> {
    const { database, names } = this.#options;
    if (performance.now() - this.#wantedAtMs > WANT_MS) {
      await this.#rows.want(names);
      this.#wantedAtMs = performance.now();
    }
    const rows = await this.#rows.read();
    this.#challenges = await readChallenges(database);
    for (const row of rows) this.#show(row);
    const ends = rows.flatMap(({ name, expiresAt }) =>
      names.includes(name) && expiresAt !== null ? [expiresAt.getTime() / 1_000] : [],
    );
    certificateExpiry.set(ends.length === 0 ? 0 : Math.min(...ends));
    if (this.secureContext() !== null) this.#arrive();
    if (rows.some(({ isDue }) => isDue))
      this.#obtaining ??= this.#obtain().finally(() => {
        this.#obtaining = null;
      });
  }

  #show({ name, sealed }: CertificateRow): void {
    if (sealed === null || this.#shown.get(name)?.sealed === sealed || this.#unusable.has(sealed)) return;
    try {
      const { chain, key } = this.#rows.open(name, sealed);
      this.#shown.set(name, { sealed, context: createSecureContext({ cert: chain, key }) });
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
        // What failed may be a port that the authority does not reach: next time it is the other one's turn.
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
      if (this.#ending.signal.aborted) return await this.#rows.giveBack(name);
      if (!(error instanceof AcmeFault) && !tooLong.aborted) throw error;
      const reason = tooLong.aborted ? 'the ACME server took too long' : (error as AcmeFault).message;
      const asked = error instanceof AcmeFault ? (error.retryAfterMs ?? 0) : 0;
      const nextInMs = Math.max(asked, delayMs(failures + 1));
      await this.#rows.fail(name, failures + 1, reason, nextInMs);
      acmeOrders.inc({ result: 'failed' });
      logger.error({ name, reason, nextInMs }, LOG_MESSAGES.certificateNotObtained);
    }
  }

  #report(error: unknown): void {
    if (this.#ending.signal.aborted || isDatabaseAway(error)) return;
    this.#options.logger.error({ err: error }, LOG_MESSAGES.certificatesNotLookedAt);
  }

  /** An order that is under way is given back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await within(GOODBYE_MS, Promise.all([this.#looking, this.#obtaining]), null);
  }
}

/**
 * With a third of its time left, and not all machines of the world at once. Where that is over already, a clock is wrong: then not at
 * once either, because authorities count what they issue.
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

/** How long a name waits after so many failures. */
export function delayMs(failures: number, random: number = Math.random()): number {
  const doubled = Math.min(TIMINGS.firstDelayMs * 2 ** (failures - 1), TIMINGS.maxDelayMs);
  return Math.round(doubled * (1 + random / 10));
}
