/** Reads emails by id, for many projects over few connections. */
import type { EmailDetail } from '../../contract/emails.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { getEmail } from './get-email.ts';

export class SingleEmails {
  readonly #reads: FairReads;

  constructor(reads: FairReads) {
    this.#reads = reads;
  }

  /**
   * Returns null if the project has no such email. Projects are served round-robin.
   * @throws AppError unavailable if the read takes too long
   */
  get(projectId: string, emailId: string): Promise<EmailDetail | null> {
    return this.#reads.run(projectId, (database) => getEmail(database, projectId, emailId), {
      tooLong: 'Too many emails of this project are being fetched. Fetch fewer emails at once.',
    });
  }
}
