/** The certificates of one directory in the database, shared by all machines. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import type { Sealer } from '../../db/seal.ts';
import { newKey } from '../../rfc/acme/certificates.ts';
import type { Obtained } from './obtain-certificate.ts';
import { TIMINGS } from './timings.ts';

/** If no process has needed a certificate for a name for this long, it is not renewed, and its row is deleted when it has expired. */
const UNREQUESTED_AFTER = sql<string>`interval '7 days'`;
const MAX_ERROR_CHARACTERS = 1_000;

export type KeyAndChain = Pick<Obtained, 'chain' | 'key'>;

export interface CertificateRow {
  name: string;
  /** The sealed certificate; null if none has been obtained yet. */
  sealed: string | null;
  expiresAt: Date | null;
  /** Whether a certificate should be obtained now. */
  isDue: boolean;
}

export class CertificateRows {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #directory: string;

  /** @param directory URL of the certificate authority */
  constructor(database: Database, sealer: Sealer, directory: string) {
    this.#database = database;
    this.#sealer = sealer;
    this.#directory = directory;
  }

  /** Records that the names are in use. Deletes expired certificates of unused names. */
  async recordInUse(names: readonly string[]): Promise<void> {
    const directory = this.#directory;
    await this.#database
      .insertInto('acmeCertificates')
      .values([...names].sort().map((name) => ({ directory, name })))
      .onConflict((conflict) =>
        conflict.columns(['directory', 'name']).doUpdateSet({ wantedAt: sql<Date>`now()` }),
      )
      .execute();
    await this.#database
      .deleteFrom('acmeCertificates')
      .where(
        sql<boolean>`wanted_at < now() - ${UNREQUESTED_AFTER} and coalesce(expires_at, wanted_at) < now()`,
      )
      .execute();
  }

  /** Makes names due soon whose last attempt failed. Called after a restart, because the operator may have fixed the cause. */
  async makeFailedDueSoon(names: readonly string[]): Promise<void> {
    await this.#database
      .updateTable('acmeCertificates')
      .set({ nextAttemptAt: sql<Date>`least(next_attempt_at, ${inFuture(TIMINGS.restartDelayMs)})` })
      .where('directory', '=', this.#directory)
      .where('name', 'in', names)
      .where('failures', '>', 0)
      .execute();
  }

  read(): Promise<CertificateRow[]> {
    return this.#database
      .selectFrom('acmeCertificates')
      .select(['name', 'sealed', 'expiresAt', this.#isDue.as('isDue')])
      .where('directory', '=', this.#directory)
      .orderBy('name')
      .execute();
  }

  /** Claims a name whose certificate is due. For `claimMs`, no other process will obtain a certificate for it. Null if none is due. */
  async claim(): Promise<{ name: string; failures: number } | null> {
    const claimed = await this.#database
      .with('due', (query) =>
        query
          .selectFrom('acmeCertificates')
          .select(['directory', 'name'])
          .where('directory', '=', this.#directory)
          .where(this.#isDue)
          .orderBy('nextAttemptAt')
          .limit(1)
          .forNoKeyUpdate()
          .skipLocked(),
      )
      .updateTable('acmeCertificates')
      .from('due')
      .set({ nextAttemptAt: inFuture(TIMINGS.claimMs) })
      .whereRef('acmeCertificates.directory', '=', 'due.directory')
      .whereRef('acmeCertificates.name', '=', 'due.name')
      .returning(['acmeCertificates.name', 'acmeCertificates.failures'])
      .executeTakeFirst();
    return claimed ?? null;
  }

  async store(name: string, { chain, key, expiresAt }: Obtained, nextAttemptAt: Date): Promise<void> {
    const stored: KeyAndChain = { chain, key };
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(stored)), this.#context(name));
    await this.#update(name, { sealed, expiresAt, nextAttemptAt, failures: 0, lastError: null });
  }

  async fail(name: string, failures: number, reason: string, delayMs: number): Promise<void> {
    const lastError = reason.slice(0, MAX_ERROR_CHARACTERS);
    await this.#update(name, { failures, lastError, nextAttemptAt: inFuture(delayMs) });
  }

  /** Releases the claim on a name, so that another process can obtain its certificate at once. */
  async release(name: string): Promise<void> {
    await this.#update(name, { nextAttemptAt: inFuture(0) });
  }

  /** @throws Error if the certificate was sealed with another secret */
  open(name: string, sealed: string): KeyAndChain {
    return JSON.parse(this.#sealer.open(sealed, this.#context(name)).toString()) as KeyAndChain;
  }

  /** The account key for this directory. The first process creates the key, and all processes share the key. */
  async accountKey(): Promise<KeyObject> {
    const directory = this.#directory;
    const context = `acme_accounts ${directory}`;
    const pem = newKey().export({ type: 'pkcs8', format: 'pem' });
    await this.#database
      .insertInto('acmeAccounts')
      .values({ directory, sealedKey: this.#sealer.seal(Buffer.from(pem), context) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { sealedKey } = await this.#database
      .selectFrom('acmeAccounts')
      .select('sealedKey')
      .where('directory', '=', directory)
      .executeTakeFirstOrThrow();
    return createPrivateKey(this.#sealer.open(sealedKey, context));
  }

  get #isDue() {
    return sql<boolean>`next_attempt_at <= now() and wanted_at > now() - ${UNREQUESTED_AFTER}`;
  }

  #context(name: string): string {
    return `acme_certificates ${this.#directory} ${name}`;
  }

  async #update(
    name: string,
    values: {
      sealed?: string;
      expiresAt?: Date;
      nextAttemptAt: Date | ReturnType<typeof inFuture>;
      failures?: number;
      lastError?: string | null;
    },
  ): Promise<void> {
    await this.#database
      .updateTable('acmeCertificates')
      .set(values)
      .where((row) => rowIs(row, { directory: this.#directory, name }))
      .execute();
  }
}

function inFuture(ms: number) {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}
