import type { Database } from '../db/database.ts';

export interface DomainsOptions {
  database: Database;
}

export class Domains {
  readonly #options: DomainsOptions;

  constructor(options: DomainsOptions) {
    this.#options = options;
  }
}
