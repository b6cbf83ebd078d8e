/** Searches suppression lists for the dashboard, for many projects over few connections. */
import { sql } from 'kysely';
import type { ExplainedSuppression, SearchSuppressionsQuery } from '../../contract/dashboard/suppressions.ts';
import type { Suppression, SuppressionList } from '../../contract/suppressions.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { exportingPages } from '../../concurrency/export-slots.ts';
import { decodeId, NIL_UUID, timeOf } from '../../model/ids.ts';
import { readPage } from './read-page.ts';
import { Suppressions } from './suppressions.ts';

const LIMITS = { tooLong: 'The search took too long. Filter by reason to shorten it.' };
/** The number of rows that each query of an export reads. */
const EXPORTED = 500;

type Filters = Pick<SearchSuppressionsQuery, 'q' | 'reason'>;

export class SuppressionSearch {
  readonly #reads: FairReads;

  constructor(reads: FairReads) {
    this.#reads = reads;
  }

  /** Searches a list, newest entries first. @throws AppError validation-failed for an invalid cursor; unavailable */
  search(
    projectId: string,
    { limit, cursor, q = '', reason }: SearchSuppressionsQuery,
  ): Promise<SuppressionList> {
    const text = q.trim();
    const filters = text === '' ? [] : [sql<boolean>`position(lower(${text}) in s.address_key) > 0`];
    return this.#reads.run(
      projectId,
      (database) =>
        readPage(database, projectId, {
          limit,
          cursor: cursor ?? null,
          reason: reason ?? null,
          filters,
        }),
      LIMITS,
    );
  }

  /** Returns null if the address is not on the list. @throws AppError unavailable */
  explain(projectId: string, address: string): Promise<ExplainedSuppression | null> {
    return this.#reads.run(
      projectId,
      async (database) => {
        const suppression = await new Suppressions(database).find(projectId, address);
        if (suppression === null) return null;
        const emailId = decodeId('em', suppression.email_id ?? '') ?? NIL_UUID;
        return { suppression, ...(await readCause(database, projectId, emailId, suppression.address)) };
      },
      LIMITS,
    );
  }

  /**
   * Exports all entries that match the filters, newest first, through `exportingPages`.
   * @param assertMayContinue called before each page; an error that it throws ends the export
   * @throws AppError the same as `search`
   */
  async exporting(
    projectId: string,
    filters: Filters,
    assertMayContinue: () => Promise<void>,
  ): Promise<AsyncIterable<Suppression[]>> {
    const first = await this.search(projectId, { ...filters, limit: EXPORTED });
    return exportingPages(
      first,
      (cursor) => this.search(projectId, { ...filters, limit: EXPORTED, cursor }),
      assertMayContinue,
    );
  }
}

async function readCause(
  database: Database,
  projectId: string,
  emailId: string,
  address: string,
): Promise<Pick<ExplainedSuppression, 'email' | 'event'>> {
  const email = await database
    .selectFrom('emails')
    .select(['id', 'subject'])
    .where('projectId', '=', projectId)
    .where('id', '=', emailId)
    .executeTakeFirst();
  const event = await database
    .selectFrom('events')
    .select(['id', 'type'])
    .where('projectId', '=', projectId)
    .where('emailId', '=', emailId)
    .where('type', 'in', ['bounced', 'complained'])
    .where(sql<string>`lower(recipient)`, '=', sql<string>`lower(${address})`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    email:
      email === undefined ? null : { subject: email.subject, created_at: timeOf(email.id).toISOString() },
    event:
      event === undefined
        ? null
        : {
            type: event.type === 'complained' ? 'complained' : 'bounced',
            created_at: timeOf(event.id).toISOString(),
          },
  };
}
