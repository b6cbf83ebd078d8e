import { GroupCommit } from '../../db/group-commit.ts';
import { type NewEmail, sizeOfEmail } from './insert-emails.ts';

const MAX_BATCH = 200;
const FLIGHTS = 2;
const MAX_BATCH_LENGTH = 2 * 1024 * 1024;
/** An email with more characters than this is large. A batch of smaller emails is written within milliseconds. */
const LARGE_LENGTH = 64 * 1024;

/**
 * Two commit queues, for small and for large emails, so that a small email never waits for large emails. Large batches are written one at a
 * time.
 */
export class CommitLanes<Result> {
  readonly #small: GroupCommit<NewEmail, Result>;
  readonly #large: GroupCommit<NewEmail, Result>;

  constructor(flush: (batch: NewEmail[]) => Promise<Result[]>) {
    const lane = (flights: number) =>
      new GroupCommit({
        flush,
        flights,
        maxItems: MAX_BATCH,
        maxBytes: MAX_BATCH_LENGTH,
        sizeOf: sizeOfEmail,
      });
    this.#small = lane(FLIGHTS);
    this.#large = lane(1);
  }

  /** The number of emails that are neither committed nor rejected. */
  get pending(): number {
    return this.#small.pending + this.#large.pending;
  }

  /** The total size of the pending emails, in characters. */
  get pendingLength(): number {
    return this.#small.pendingBytes + this.#large.pendingBytes;
  }

  /** Like `GroupCommit.add`. */
  add(email: NewEmail): Promise<Result> {
    return (sizeOfEmail(email) > LARGE_LENGTH ? this.#large : this.#small).add(email);
  }
}
