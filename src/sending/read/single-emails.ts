/** Emails by their ids, for many projects over few connections. */
import type { EmailDetail } from '../../contract/emails.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { Turns } from '../../model/turns.ts';
import { getEmail } from './get-email.ts';
import { TIMINGS } from './timings.ts';

/** Of one project. Large emails take 30 ms each. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 5;

export class SingleEmails {
  readonly #database: Database;
  readonly #turns: Turns;

  /** @param connections how many the database has, for nobody else; one project has half of them */
  constructor(database: Database, connections: number) {
    this.#database = database;
    this.#turns = new Turns({
      places: connections,
      placesOfOne: Math.max(1, Math.floor(connections / 2)),
      maxWaitingOfOne: MAX_WAITING,
      refusal: tooMany,
    });
  }

  /**
   * Null when the project has no such email. Projects take turns.
   * @throws AppError unavailable when it takes too long
   */
  async get(projectId: string, emailId: string): Promise<EmailDetail | null> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooMany()), TIMINGS.emailTimeoutMs);
    try {
      return await this.#turns.run(projectId, late.signal, () =>
        getEmail(this.#database, projectId, emailId),
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooMany(): AppError {
  return new AppError(
    'unavailable',
    'Too many emails of this project are being fetched at the moment. Fetch fewer at once.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
