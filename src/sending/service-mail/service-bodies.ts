/**
 * Bodies of service mail that hold a link which opens an account. Attack: a copy of the database or a backup, read within the life of the link, opens
 * the account. So such a body is sealed with POSTHORN_SECRET, in no backup, and deleted as soon as its link ends.
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
   * @param submissionId uuid of a mail of the service
   * @returns the message with CRLF line ends; null: it has no link, or its link has ended
   * @throws Error when it was sealed with another secret, or was changed
   */
  async open(submissionId: string): Promise<Buffer | null> {
    const row = await this.#database
      .selectFrom('serviceBodies as b')
      .innerJoin('signInLinks as l', 'l.id', 'b.linkId')
      .select('b.sealed')
      .where('b.submissionId', '=', submissionId)
      // A background job deletes expired links after a while.
      .where('l.expiresAt', '>', sql<Date>`now()`)
      .executeTakeFirst();
    return row === undefined ? null : this.#sealer.open(row.sealed, contextOf(submissionId));
  }
}

/**
 * Stores the body of a mail, in the transaction that puts the mail into the queue. It is deleted with the link, and when the mailed token of the
 * link changes (`delete_service_bodies` in 0097).
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
