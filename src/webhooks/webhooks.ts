import type { Database } from '../db/database.ts';

export interface WebhooksOptions {
  database: Database;
}

export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }
}
