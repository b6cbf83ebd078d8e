/** Finds the email that an earlier request with the same idempotency key created (docs/contract.md, Idempotency). */
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { AppError, unavailable } from '../../model/app-error.ts';
import { findByIdempotencyKeys, type KeyOfProject, type RememberedEmail } from './insert-emails.ts';

export interface Idempotency {
  key: string;
  fingerprint: Uint8Array;
}

const MAX_BATCH = 200;
/** Callers that may wait for a lookup. With more, the database cannot keep up. */
const MAX_WAITING = 4_000;

export class Replays {
  /** One lookup at a time: a flood of repeated requests must not use the connections that accepting needs. */
  readonly #lookUps: GroupCommit<KeyOfProject, RememberedEmail | null>;
  /** Keys whose first request in this process is being written. Requests with the same key wait here instead of in the database. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(database: Database) {
    this.#lookUps = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (batch) => findByIdempotencyKeys(database, batch),
    });
  }

  /** The write by another request with the same key in this process. */
  #pendingTwin(projectId: string, key: string): Promise<unknown> | undefined {
    return this.#pending.get(nameOf(projectId, key));
  }

  /** Makes requests with the same key wait until the first one is written or rejected. */
  async #whilePending<T>(projectId: string, key: string, written: Promise<T>): Promise<T> {
    const name = nameOf(projectId, key);
    this.#pending.set(name, written);
    try {
      return await written;
    } finally {
      this.#pending.delete(name);
    }
  }

  /**
   * The first request with a key writes; the others wait for its commit and compare (docs/contract.md, Idempotency).
   * @param check throws if the request is invalid
   * @param write resolves to false if the key belongs to an earlier request
   * @returns the email that an earlier identical request created; null when the caller's request was written
   * @throws AppError idempotency-key-reused, unavailable, and errors of `check` and `write`
   */
  async acceptOnce<Checked>(
    projectId: string,
    idempotency: Idempotency,
    check: () => Promise<Checked>,
    write: (checked: Checked) => Promise<boolean>,
  ): Promise<RememberedEmail | null> {
    const { key } = idempotency;
    try {
      const checked = await check();
      for (;;) {
        if (
          this.#pendingTwin(projectId, key) === undefined &&
          (await this.#whilePending(projectId, key, write(checked)))
        )
          return null;
        const first = await this.find(projectId, idempotency);
        if (first !== null) return first;
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'idempotency-key-reused') throw error;
      // A request that was accepted gets the same response again, even if it would be rejected now. Only rejected requests need this lookup.
      const first = await this.find(projectId, idempotency);
      if (first === null) throw error;
      return first;
    }
  }

  /**
   * The email that an earlier identical request created, once it is committed; null when the key is free.
   * @throws AppError idempotency-key-reused, unavailable
   */
  async find(projectId: string, { key, fingerprint }: Idempotency): Promise<RememberedEmail | null> {
    // The other caller gets the error. Here a failure only means that the key is free again.
    await this.#pendingTwin(projectId, key)?.catch(() => {});
    if (this.#lookUps.pending >= MAX_WAITING) {
      throw unavailable('Too many repeated requests are waiting at the moment.');
    }
    const first = await this.#lookUps.add({ projectId, key });
    if (first === null || first.fingerprint.equals(fingerprint)) return first;
    throw new AppError(
      'idempotency-key-reused',
      'This Idempotency-Key was used before with another request body.',
      { errors: { 'Idempotency-Key': 'was used with another body; use a new key for a new email' } },
    );
  }
}

function nameOf(projectId: string, key: string): string {
  return `${projectId} ${key}`;
}
