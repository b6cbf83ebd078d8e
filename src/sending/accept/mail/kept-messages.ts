/** Whether messages that applications submit can be stored and sent as they are. It is a row in `settings`, which is missing while older code is running. */
import type { Database } from '../../../db/database.ts';

const SETTING = 'keeps_messages';

export class KeptMessages {
  readonly #database: Database;
  #areKept = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Once true, always true, because older code does not start any more. */
  async areKept(): Promise<boolean> {
    if (this.#areKept) return true;
    const row = await this.#database
      .selectFrom('settings')
      .select('value')
      .where('name', '=', SETTING)
      .executeTakeFirst();
    this.#areKept = row !== undefined;
    return this.#areKept;
  }
}
