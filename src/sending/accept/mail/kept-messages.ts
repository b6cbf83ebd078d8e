/** Whether messages that applications submit can be stored and sent as they are. */
import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';

/** The migration that runs once no older code is running, which would send the messages without their files. */
const MIGRATION = '0125-keep-messages.sql';

export class KeptMessages {
  readonly #database: Database;
  #areKept = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Once true, always true, because older code does not start any more. */
  async areKept(): Promise<boolean> {
    if (this.#areKept) return true;
    const { rows } = await sql`
      select from schema_changes where name = ${MIGRATION} and applied_at is not null`.execute(
      this.#database,
    );
    this.#areKept = rows.length > 0;
    return this.#areKept;
  }
}
