/** A project's suppression list as people see it. */
import { type SelectQueryBuilder, sql } from 'kysely';
import { recordChange, recordDifferences } from '../../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import * as clock from '../../model/clock.ts';
import { validationError } from '../../model/app-error.ts';
import type { SuppressionReason } from '../../model/suppression-reasons.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { suppress } from './suppressing.ts';

export interface Suppression {
  address: string;
  reason: SuppressionReason;
  /** What was said, for people. */
  detail: object | null;
  /** uuid of the email whose recipient it was; null for an operator's entry. */
  emailId: string | null;
  createdAt: Date;
  /** Null: for good. */
  expiresAt: Date | null;
}

export interface SuppressionPage {
  /** In the order of their addresses. */
  data: Suppression[];
  /** Null: this was the last page. */
  nextCursor: string | null;
}

/** Entries whose time is over do not count. */
export class Suppressions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param page a cursor is `nextCursor` of the page before */
  async list(projectId: string, page: { limit: number; cursor: string | null }): Promise<SuppressionPage> {
    let select = standing(this.#database, projectId)
      .orderBy('addressKey')
      .limit(page.limit + 1);
    if (page.cursor !== null)
      select = select.where('addressKey', '>', sql<string>`lower(${decodeCursor(page.cursor)})`);
    const rows = await select.execute();
    const last = rows[page.limit - 1];
    return {
      data: rows.slice(0, page.limit),
      nextCursor: rows.length > page.limit && last !== undefined ? encodeCursor(last.address) : null,
    };
  }

  /** @throws AppError validation-failed */
  async find(projectId: string, address: string): Promise<Suppression | null> {
    return (await oneOf(this.#database, projectId, normal(address)).executeTakeFirst()) ?? null;
  }

  /**
   * Puts an address on the list, and returns what stands there then: an entry that was there already is strengthened,
   * never weakened.
   * @throws AppError validation-failed
   */
  async add(
    projectId: string,
    entry: { address: string; reason: SuppressionReason; expiresAt: Date | null },
  ): Promise<Suppression> {
    const address = normal(entry.address);
    if (entry.expiresAt !== null && !(entry.expiresAt.getTime() > clock.nowMs())) {
      throw validationError({ expires: 'must be in the future' });
    }
    return this.#database.transaction().execute(async (tx) => {
      const before = await oneOf(tx, projectId, address).executeTakeFirst();
      await suppress(tx, [{ projectId, ...entry, address, detail: null, cause: null }]);
      // The row is locked by now, whether it was changed or not.
      const after = await oneOf(tx, projectId, address).executeTakeFirstOrThrow();
      if (before === undefined)
        await recordChange(tx, { ...changeOf(projectId, 'create', address), after: auditedFields(after) });
      else
        await recordDifferences(
          tx,
          changeOf(projectId, 'update', address),
          auditedFields(before),
          auditedFields(after),
        );
      return after;
    });
  }

  /** Whether the address was on the list. @throws AppError validation-failed */
  async remove(projectId: string, address: string): Promise<boolean> {
    const key = normal(address);
    return this.#database.transaction().execute(async (tx) => {
      const removed = await tx
        .deleteFrom('suppressions')
        .where('projectId', '=', projectId)
        .where('addressKey', '=', sql<string>`lower(${key})`)
        .where(notExpired)
        .returning(['address', 'reason', 'expiresAt'])
        .executeTakeFirst();
      if (removed === undefined) return false;
      const change = changeOf(projectId, 'delete', removed.address);
      await recordChange(tx, { ...change, before: auditedFields(removed) });
      return true;
    });
  }
}

function changeOf(projectId: string, verb: 'create' | 'update' | 'delete', address: string) {
  return { of: { projectId }, action: `suppression.${verb}`, target: address } as const;
}

function auditedFields({ reason, expiresAt }: Pick<Suppression, 'reason' | 'expiresAt'>) {
  return { reason, expires_at: expiresAt?.toISOString() ?? null };
}

const notExpired = sql<boolean>`(expires_at is null or expires_at > now())`;

function standing(
  database: Database | DatabaseTransaction,
  projectId: string,
): SelectQueryBuilder<Tables, 'suppressions', Suppression> {
  return database
    .selectFrom('suppressions')
    .select(['address', 'reason', 'detail', 'emailId', 'createdAt', 'expiresAt'])
    .where('projectId', '=', projectId)
    .where(notExpired);
}

function oneOf(database: Database | DatabaseTransaction, projectId: string, address: string) {
  return standing(database, projectId).where('addressKey', '=', sql<string>`lower(${address})`);
}

/** Addresses are compared in normal form, however they are written. */
function normal(address: string): string {
  const mailbox = parseMailbox(address);
  if ('error' in mailbox) throw validationError({ address: mailbox.error });
  return mailbox.address;
}

function encodeCursor(address: string): string {
  return Buffer.from(address).toString('base64url');
}

/** @throws AppError validation-failed for what `encodeCursor` did not write */
function decodeCursor(cursor: string): string {
  const address = Buffer.from(cursor, 'base64url').toString();
  if (encodeCursor(address) !== cursor || address.includes('\0')) {
    throw validationError({ cursor: 'is not a cursor of this list' });
  }
  return address;
}
