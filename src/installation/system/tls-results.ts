/** Reads the counted TLS results with recipients' servers (docs/operate/tls-results.md). */
import { sql } from 'kysely';
import type { TlsResult, TlsResultPage, TlsResultsQuery } from '../../contract/dashboard/tls-results.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import { cursorOf, isDay } from '../../model/cursor.ts';

const PAGE = 50;

/** The last result of a page, in the sort order of the list. An empty `mx_host` means null. */
const PAGE_END = cursorOf('tls results', {
  day: 'day',
  policy_domain: 'text',
  policy_type: ['sts', 'no-policy-found'],
  mx_host: 'text',
  outcome: 'text',
});

interface Filter {
  /** The day in UTC, such as 2027-01-31. */
  day?: string;
  domain?: string;
  /** A part of the domain to search for. */
  q?: string;
}

interface TlsPage {
  /** The last result of the previous page; null for the first page. */
  after: Omit<TlsResult, 'sessions'> | null;
  limit: number;
  isNewestFirst: boolean;
}

const RESULT = columnsOf({
  result: shaped<Omit<TlsResult, 'sessions'> & { sessions: string }>('json'),
});

/** Reads the results, sorted by day, then by domain. @throws AppError validation-failed if the day is invalid */
export async function readTlsResults(
  database: Database,
  { day, domain, q = '' }: Filter,
  { after, limit, isNewestFirst }: TlsPage,
): Promise<TlsResult[]> {
  if (day !== undefined && !isDay(day)) throw validationError({ day: 'must be a day: 2027-01-31' });
  const laterDay = isNewestFirst ? sql`<` : sql`>`;
  const behind =
    after === null
      ? sql`true`
      : sql`(day ${laterDay} ${after.day}::date or day = ${after.day}::date
          and (policy_domain, policy_type, mx_host, outcome)
            > (${after.policy_domain}, ${after.policy_type}, ${after.mx_host ?? ''}, ${after.outcome}))`;
  const { rows } = await RESULT.sql`
    select json_build_object('day', day, 'policy_domain', policy_domain, 'policy_type', policy_type,
      'mx_host', nullif(mx_host, ''), 'outcome', outcome, 'sessions', sessions::text) as result
    from tls_results
    where ${behind}
      and ${day === undefined ? sql`true` : sql`day = ${day}::date`}
      and ${domain === undefined ? sql`true` : sql`policy_domain = ${domain.toLowerCase()}`}
      and position(${q.trim().toLowerCase()} in policy_domain) > 0
    order by day ${isNewestFirst ? sql`desc` : sql`asc`}, policy_domain, policy_type, mx_host, outcome
    limit ${limit}`.execute(database);
  return rows.map(({ result }) => ({ ...result, sessions: Number(result.sessions) }));
}

/** Reads a page, newest day first. @throws AppError validation-failed if the day or the cursor is invalid */
export async function listTlsResults(
  database: Database,
  { cursor, limit = PAGE, ...filter }: TlsResultsQuery,
): Promise<TlsResultPage> {
  const after = cursor === undefined ? null : PAGE_END.decode(cursor);
  const results = await readTlsResults(database, filter, { after, limit: limit + 1, isNewestFirst: true });
  const data = results.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    next_cursor:
      results.length > limit && last !== undefined
        ? PAGE_END.encode({ ...last, mx_host: last.mx_host ?? '' })
        : null,
  };
}
