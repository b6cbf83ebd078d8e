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
/** The maximum number of callers that wait for a lookup. With more, the database cannot keep up. */
const MAX_WAITING = 4_000;

export class Replays {
  /** Runs one lookup at a time, so that a flood of repeated requests does not use the connections that accepting emails needs. */
  readonly #lookUps: GroupCommit<KeyOfProject, RememberedEmail | null>;
  /**
   * The writes in progress, by idempotency key. Requests with the same key wait for the write in this process instead of in the database.
   */
  readonly #pending = new Map<string, Promise<unknown>>();

  constructor(database: Database) {
    this.#lookUps = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (batch) => findByIdempotencyKeys(database, batch),
    });
  }

  /** The write in progress of another request with the same key in this process. */
  #pendingTwin(projectId: string, key: string): Promise<unknown> | undefined {
    return this.#pending.get(nameOf(projectId, key));
  }

  /** Makes requests with the same key wait until the first request is written or rejected. */
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
   * Among concurrent requests with the same key, the first request writes. The other requests wait for its commit and then compare
   * fingerprints (docs/contract.md, Idempotency).
   * @param check throws if the request is invalid
   * @param write resolves to false if the key belongs to an earlier request
   * @returns the email that an earlier identical request created; null if this request was written
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
      // If an identical request was accepted earlier, this request gets the same response, even if it would be rejected now. Only rejected
      // requests need this lookup.
      const first = await this.find(projectId, idempotency);
      if (first === null) throw error;
      return first;
    }
  }

  /**
   * The email that an earlier identical request created, once the email is committed. Null if the key is unused.
   * @throws AppError idempotency-key-reused, unavailable
   */
  async find(projectId: string, { key, fingerprint }: Idempotency): Promise<RememberedEmail | null> {
    // The request whose write fails reports the error itself. For this request, a failed write only means that the key is unused again.
    await this.#pendingTwin(projectId, key)?.catch(() => {});
    if (this.#lookUps.pending >= MAX_WAITING) {
      throw unavailable('Too many repeated requests are waiting. Try again in a few seconds.');
    }
    const first = await this.#lookUps.add({ projectId, key });
    if (first === null || first.fingerprint.equals(fingerprint)) return first;
    throw new AppError(
      'idempotency-key-reused',
      'This Idempotency-Key was already used with a different request body. Use a new key for a new email.',
      { errors: { 'Idempotency-Key': 'was used with a different body; use a new key for a new email' } },
    );
  }
}

function nameOf(projectId: string, key: string): string {
  return `${projectId} ${key}`;
}
