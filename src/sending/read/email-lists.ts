/** Lists emails for many projects over few connections. */
import type { EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { listEmails } from './list-emails.ts';

export class EmailLists {
  readonly #reads: FairReads;

  constructor(reads: FairReads) {
    this.#reads = reads;
  }

  /**
   * Lists a project's emails. Statements of different projects run round-robin.
   * @throws AppError validation-failed for an invalid cursor or address; unavailable if a statement takes too long
   */
  list(projectId: string, query: ListEmailsQuery): Promise<EmailList> {
    const seconds = this.#reads.timeoutMs / 1_000;
    return this.#reads.runFairly(projectId, (read) => listEmails(read, projectId, query), {
      tooLong: `The list took longer than ${seconds} seconds. Narrow it with since and until.`,
    });
  }
}
