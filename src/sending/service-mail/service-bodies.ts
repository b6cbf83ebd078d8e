/**
 * Bodies of service mail with a link that opens an account. Each body is sealed with POSTHORN_SECRET, left out of backups, and deleted as
 * soon as its link ends. Stops this attack: a person with a copy of the database or a backup opens the account while the link is valid.
 */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';

export class ServiceBodies {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /**
   * @param submissionId UUID of a service mail
   * @returns the message with CRLF line ends; null if the mail has no link, or the link has ended
   * @throws Error if the body was sealed with another secret or modified
   */
  async open(submissionId: string): Promise<Buffer | null> {
    const row = await this.#database
      .selectFrom('serviceBodies as b')
      .innerJoin('signInLinks as l', 'l.id', 'b.linkId')
      .select('b.sealed')
      .where('b.submissionId', '=', submissionId)
      // Expired links are checked here, because a background job deletes them only after a while.
      .where('l.expiresAt', '>', sql<Date>`now()`)
      .executeTakeFirst();
    return row === undefined ? null : this.#sealer.open(row.sealed, contextOf(submissionId));
  }
}

/**
 * Stores the body of a mail, in the transaction that queues the mail. The body is deleted with the link, and when the mailed token of the
 * link changes (`delete_service_bodies` in SQL).
 * @param body the message with CRLF line ends
 */
export async function sealServiceBody(
  tx: Database | DatabaseTransaction,
  sealer: Sealer,
  { submissionId, linkId, body }: { submissionId: string; linkId: string; body: Buffer },
): Promise<void> {
  const sealed = sealer.seal(body, contextOf(submissionId));
  await tx.insertInto('serviceBodies').values({ submissionId, linkId, sealed }).execute();
}

function contextOf(submissionId: string): string {
  return `service_bodies ${submissionId}`;
}
