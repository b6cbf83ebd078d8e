import { GroupCommit } from '../../db/group-commit.ts';
import { type NewEmail, sizeOfEmail } from './insert-emails.ts';

const MAX_BATCH = 200;
const FLIGHTS = 2;
const MAX_BATCH_LENGTH = 2 * 1024 * 1024;
/** A batch of smaller emails is written within milliseconds, whatever else is in it. */
const LARGE_LENGTH = 64 * 1024;

/** Two ways to the database, so that a small email never waits for a batch with large ones. Those go one batch at a time. */
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

  /** Emails that are neither committed nor refused. */
  get pending(): number {
    return this.#small.pending + this.#large.pending;
  }

  /** What these take, in characters. */
  get pendingLength(): number {
    return this.#small.pendingBytes + this.#large.pendingBytes;
  }

  /** As `GroupCommit`. */
  add(email: NewEmail): Promise<Result> {
    return (sizeOfEmail(email) > LARGE_LENGTH ? this.#large : this.#small).add(email);
  }
}
