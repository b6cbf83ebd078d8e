import type { Database } from '../db/database.ts';

export interface DirectoryOptions {
  database: Database;
}

export class Directory {
  readonly #options: DirectoryOptions;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }
}
