/** Finds the email that an idempotency key belongs to already (docs/contract.md, Idempotency). */
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { AppError, unavailable } from '../../model/app-error.ts';
import { findByIdempotencyKeys, type KeyOfProject, type RememberedEmail } from './insert-emails.ts';

export interface Idempotency {
  key: string;
  fingerprint: Uint8Array;
}

const MAX_BATCH = 200;
/** More callers than this do not wait for an answer: the database cannot keep up. */
const MAX_WAITING = 4_000;

export class Replays {
  /** One look-up at a time: who repeats in a crowd must not take the connections that accepting needs. */
  readonly #lookUps: GroupCommit<KeyOfProject, RememberedEmail | null>;
  /** Keys whose first request of this process is on its way: a twin waits here, not in the database. */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(database: Database) {
    this.#lookUps = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (batch) => findByIdempotencyKeys(database, batch),
    });
  }

  /** The twin that is on its way in this process. */
  #pendingTwin(projectId: string, key: string): Promise<unknown> | undefined {
    return this.#pending.get(nameOf(projectId, key));
  }

  /** Makes twins wait until the first request with a key is written or refused. */
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
   * @param check throws what the request is refused for
   * @param write false: the key belongs to an earlier request
   * @returns what the same request made before; null when this one was written
   * @throws AppError idempotency-key-reused, unavailable, and what `check` and `write` throw
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
      // What was accepted once is answered again, whatever is refused today. When nothing is refused, nobody has to look.
      const first = await this.find(projectId, idempotency);
      if (first === null) throw error;
      return first;
    }
  }

  /**
   * What the same request made before, once it is committed; null when the key is free.
   * @throws AppError idempotency-key-reused, unavailable
   */
  async find(projectId: string, { key, fingerprint }: Idempotency): Promise<RememberedEmail | null> {
    // Its own caller hears of its failure; here that only means that the key is free again.
    await this.#pendingTwin(projectId, key)?.catch(() => {});
    if (this.#lookUps.pending >= MAX_WAITING) {
      throw unavailable('Too many requests wait for the answers of earlier ones.');
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
