/** The certificates of one directory, as the database keeps them for all machines. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import type { Sealer } from '../../db/seal.ts';
import { newKey } from '../../rfc/acme/certificates.ts';
import type { Obtained } from './obtain-certificate.ts';
import { TIMINGS } from './timings.ts';

/** A name that no process has asked for since is not renewed any more; it goes when its certificate has expired. */
const UNWANTED_AFTER = sql<string>`interval '7 days'`;
const MAX_ERROR_CHARACTERS = 1_000;

export type KeyAndChain = Pick<Obtained, 'chain' | 'key'>;

export interface CertificateRow {
  name: string;
  /** Null: none was obtained yet. */
  sealed: string | null;
  expiresAt: Date | null;
  /** Somebody should obtain it now. */
  isDue: boolean;
}

export class CertificateRows {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #directory: string;

  /** @param directory address of the certificate authority */
  constructor(database: Database, sealer: Sealer, directory: string) {
    this.#database = database;
    this.#sealer = sealer;
    this.#directory = directory;
  }

  /** Says that the names are still in use. What nobody uses any more and has expired is forgotten. */
  async want(names: readonly string[]): Promise<void> {
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
      .where(sql<boolean>`wanted_at < now() - ${UNWANTED_AFTER} and coalesce(expires_at, wanted_at) < now()`)
      .execute();
  }

  /** A process has started: what failed before is tried again soon. */
  async hasten(names: readonly string[]): Promise<void> {
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

  /** Takes a name that is due: it is due for nobody else until its time is over. Null: there is none. */
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
    const kept: KeyAndChain = { chain, key };
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(kept)), this.#place(name));
    await this.#update(name, { sealed, expiresAt, nextAttemptAt, failures: 0, lastError: null });
  }

  async fail(name: string, failures: number, reason: string, delayMs: number): Promise<void> {
    const lastError = reason.slice(0, MAX_ERROR_CHARACTERS);
    await this.#update(name, { failures, lastError, nextAttemptAt: inFuture(delayMs) });
  }

  /** Of a claim: the name is due at once. */
  async giveBack(name: string): Promise<void> {
    await this.#update(name, { nextAttemptAt: inFuture(0) });
  }

  /** @throws where it was sealed with another secret */
  open(name: string, sealed: string): KeyAndChain {
    return JSON.parse(this.#sealer.open(sealed, this.#place(name)).toString()) as KeyAndChain;
  }

  /** The key of the account at this directory. All processes have the same one, whoever asks first makes it. */
  async accountKey(): Promise<KeyObject> {
    const directory = this.#directory;
    const place = `acme_accounts ${directory}`;
    const pem = newKey().export({ type: 'pkcs8', format: 'pem' });
    await this.#database
      .insertInto('acmeAccounts')
      .values({ directory, sealedKey: this.#sealer.seal(Buffer.from(pem), place) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { sealedKey } = await this.#database
      .selectFrom('acmeAccounts')
      .select('sealedKey')
      .where('directory', '=', directory)
      .executeTakeFirstOrThrow();
    return createPrivateKey(this.#sealer.open(sealedKey, place));
  }

  get #isDue() {
    return sql<boolean>`next_attempt_at <= now() and wanted_at > now() - ${UNWANTED_AFTER}`;
  }

  #place(name: string): string {
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
