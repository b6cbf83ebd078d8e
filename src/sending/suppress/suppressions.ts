/** The suppression list of a project, for the API and the dashboard. */
import { type RawBuilder, sql } from 'kysely';
import { recordChange, recordDifferences } from '../../accounts/audit.ts';
import type { ImportedSuppressions, ImportSuppressions } from '../../contract/dashboard/suppressions.ts';
import {
  type AddedSuppressions,
  type AddSuppressions,
  type ListSuppressionsQuery,
  type Suppression,
  type SuppressionList,
} from '../../contract/suppressions.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { readPage } from './read-page.ts';
import { suppress } from './suppressing.ts';
import { type SuppressionEntry, headOf, readSuppressions } from './suppression-file.ts';
import { shown, SUPPRESSION, type SuppressionRow } from './suppression-rows.ts';

const REMOVED = columnsOf({ address: 'text', reason: SUPPRESSION.kinds.reason, expiresAt: 'timestamptz?' });

/** The suppression list of a project. Expired entries count as absent. */
export class Suppressions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Lists entries, newest first. @throws AppError validation-failed for an invalid cursor */
  async list(projectId: string, query: ListSuppressionsQuery): Promise<SuppressionList> {
    const { limit, cursor = null, address, reason, since } = query;
    const filters: RawBuilder<boolean>[] = [];
    if (address !== undefined) {
      const normal = normalOf(address);
      if (normal === null) return { data: [], next_cursor: null };
      filters.push(sql`s.address_key = lower(${normal})`);
    }
    if (since !== undefined) filters.push(sql`s.created_at >= ${new Date(since)}`);
    return readPage(this.#database, projectId, { limit, cursor, reason: reason ?? null, filters });
  }

  /** Returns null if the address is invalid or not on the list. */
  async find(projectId: string, address: string): Promise<Suppression | null> {
    const normal = normalOf(address);
    if (normal === null) return null;
    const [row] = await activeEntries(this.#database, projectId, [normal]);
    return row === undefined ? null : shown(row);
  }

  /**
   * Adds either all addresses to the list or none, and returns their entries. An existing entry is strengthened, never weakened.
   * @throws AppError validation-failed
   */
  async add(
    projectId: string,
    { addresses, reason, expires_at }: AddSuppressions,
  ): Promise<AddedSuppressions> {
    const expiresAt = expires_at === undefined ? null : new Date(expires_at);
    if (expiresAt !== null && !(expiresAt.getTime() > clock.nowMs()))
      throw validationError({ expires_at: 'must be in the future' });
    const entries = addresses.map((text, at): SuppressionEntry => {
      const mailbox = parseMailbox(text);
      if ('error' in mailbox) throw validationError({ addresses: `addresses[${at}]: ${mailbox.error}` });
      return { address: mailbox.address, reason: reason ?? 'manual', expiresAt };
    });
    const names = entries.map(({ address }) => address);
    return this.#database.transaction().execute(async (tx) => {
      const added = await put(tx, projectId, entries);
      // Existing entries are locked even if they are not changed, so this query finds all of them.
      return { data: (await activeEntries(tx, projectId, names)).map(shown), added };
    });
  }

  /** Adds the valid addresses in a part of a file and reports the invalid lines. */
  async importFile(
    projectId: string,
    { text, first_line, is_end, reason }: ImportSuppressions,
  ): Promise<ImportedSuppressions> {
    const { entries, ...piece } = readSuppressions(text, {
      head: headOf(first_line ?? text),
      isFirst: first_line === null,
      isEnd: is_end,
      reason,
    });
    const added = await this.#database.transaction().execute((tx) => put(tx, projectId, entries));
    return { ...piece, added, known: entries.length - added };
  }

  /** Removes addresses from the list, so that they get mail again. @returns the removed addresses */
  async remove(projectId: string, addresses: readonly string[]): Promise<string[]> {
    const keys = addresses.map(normalOf).filter((address) => address !== null);
    return this.#database.transaction().execute(async (tx) => {
      const { rows } = await REMOVED.sql`
        with locked as (
          -- The same order as when adding, to prevent deadlocks.
          select address_key from suppressions
          where project_id = ${projectId} and address_key in (select lower(unnest(${keys}::text[])))
            and (expires_at is null or expires_at > now())
          order by address_key for update
        )
        delete from suppressions s using locked l
        where s.project_id = ${projectId} and s.address_key = l.address_key
        returning s.address, s.reason, s.expires_at`.execute(tx);
      for (const row of rows)
        await recordChange(tx, {
          of: { projectId },
          action: 'suppression.delete',
          target: row.address,
          before: audited(row),
        });
      return rows.map(({ address }) => address);
    });
  }
}

/** Adds entries and one audit log entry, which names a single address or the number of addresses. */
async function put(
  tx: DatabaseTransaction,
  projectId: string,
  entries: readonly SuppressionEntry[],
): Promise<number> {
  const [only, ...more] = entries;
  if (only === undefined) return 0;
  const before = more.length > 0 ? [] : await activeEntries(tx, projectId, [only.address]);
  const { added, changed } = await suppress(
    tx,
    entries.map((entry) => ({ ...entry, projectId, detail: null, cause: null })),
  );
  if (changed === 0) return 0;
  const change = { of: { projectId }, target: only.address } as const;
  const [was] = before;
  if (more.length > 0)
    await recordChange(tx, {
      ...change,
      action: 'suppression.import',
      target: `${entries.length} addresses`,
      after: { added, addresses: entries.map(({ address, reason }) => `${address} (${reason})`) },
    });
  else {
    const [is = only] = await activeEntries(tx, projectId, [only.address]);
    if (was === undefined)
      await recordChange(tx, { ...change, action: 'suppression.create', after: audited(is) });
    else await recordDifferences(tx, { ...change, action: 'suppression.update' }, audited(was), audited(is));
  }
  return added;
}

/** The entries of the addresses, in the order of the addresses and without duplicates. */
async function activeEntries(
  database: Database | DatabaseTransaction,
  projectId: string,
  addresses: readonly string[],
): Promise<SuppressionRow[]> {
  const { rows } = await SUPPRESSION.sql`
    select s.address, s.reason, s.detail, s.email_id, s.created_at, s.expires_at
    from (
      select lower(address) as address_key, min(at) as at
      from unnest(${addresses}::text[]) with ordinality as a (address, at) group by 1
    ) a
    join suppressions s on s.project_id = ${projectId} and s.address_key = a.address_key
    where s.expires_at is null or s.expires_at > now()
    order by a.at`.execute(database);
  return rows;
}

function audited({ reason, expiresAt }: Pick<SuppressionRow, 'reason' | 'expiresAt'>) {
  return { reason, expires_at: expiresAt?.toISOString() ?? null };
}

/** The normalized address. Null if the text is not an address. */
function normalOf(text: string): string | null {
  const mailbox = parseMailbox(text);
  return 'error' in mailbox ? null : mailbox.address;
}
