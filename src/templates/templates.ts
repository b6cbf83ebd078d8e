import type { Database } from '../db/database.ts';

export interface TemplatesOptions {
  database: Database;
}

export class Templates {
  readonly #options: TemplatesOptions;

  constructor(options: TemplatesOptions) {
    this.#options = options;
  }
}
