import type { Database } from '../db/database.ts';

export interface MailboxesOptions {
  database: Database;
}

export class Mailboxes {
  readonly #options: MailboxesOptions;

  constructor(options: MailboxesOptions) {
    this.#options = options;
  }
}
