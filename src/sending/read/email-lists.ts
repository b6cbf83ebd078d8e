/** Lists of emails, for many projects over few connections. */
import type { EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import { type Database, hasTimedOut } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { Turns } from '../../model/turns.ts';
import type { Read } from './find-emails.ts';
import { listEmails } from './list-emails.ts';
import { TIMINGS } from './timings.ts';

/** Statements of one project at a time, as a share of the connections. */
const SHARE = 0.5;
/** Of one project. More clients than that would wait for each other longer than a list may take. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 5;

export class EmailLists {
  readonly #database: Database;
  readonly #turns: Turns;

  /**
   * @param database with a time-out of `TIMINGS.listTimeoutMs` for its statements, and nobody else's
   * @param connections how many it has
   */
  constructor(database: Database, connections: number) {
    this.#database = database;
    this.#turns = new Turns({
      places: connections,
      placesOfOne: Math.max(1, Math.floor(connections * SHARE)),
      maxWaitingOfOne: MAX_WAITING,
      refusal: () => unavailable('Too many lists of this project are waiting at the moment.'),
    });
  }

  /**
   * Projects take turns, statement by statement.
   * @throws AppError validation-failed for a cursor or an address that cannot be; unavailable when it takes too long
   */
  async list(projectId: string, query: ListEmailsQuery): Promise<EmailList> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLong()), TIMINGS.listTimeoutMs);
    const read: Read = (statement) =>
      this.#turns.run(projectId, late.signal, () => statement(this.#database));
    try {
      return await listEmails(read, projectId, query);
    } catch (error) {
      throw hasTimedOut(error) ? tooLong() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLong(): AppError {
  const seconds = TIMINGS.listTimeoutMs / 1_000;
  return unavailable(
    `The list took longer than ${seconds} seconds. Bounds by since and until make it shorter.`,
  );
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: RETRY_SECONDS });
}
