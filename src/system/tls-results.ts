/** How TLS went with the recipients' servers, as it was counted (docs/operate/tls-results.md). */
import { sql } from 'kysely';
import type { TlsResult, TlsResultPage, TlsResultsQuery } from '../contract/dashboard/tls-results.ts';
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';

const PAGE = 50;

interface Filter {
  /** In UTC: 2027-01-31. */
  day?: string;
  domain?: string;
  /** A part of the domain. */
  q?: string;
}

interface Place {
  /** The last one of the page before; null: the first page. */
  after: TlsResult | null;
  limit: number;
  isNewestFirst: boolean;
}

type Row = Omit<TlsResult, 'sessions'> & { sessions: string };

/** By day, and within a day by domain. @throws AppError validation-failed: the day */
export async function readTlsResults(
  database: Database,
  { day, domain, q = '' }: Filter,
  { after, limit, isNewestFirst }: Place,
): Promise<TlsResult[]> {
  if (day !== undefined && !isDay(day)) throw validationError({ day: 'must be a day: 2027-01-31' });
  const laterDay = isNewestFirst ? sql`<` : sql`>`;
  const behind =
    after === null
      ? sql`true`
      : sql`(day ${laterDay} ${after.day}::date or day = ${after.day}::date
          and (policy_domain, policy_type, mx_host, outcome)
            > (${after.policy_domain}, ${after.policy_type}, ${after.mx_host ?? ''}, ${after.outcome}))`;
  const { rows } = await sql<{ result: Row }>`
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

/** A page, the newest day first. @throws AppError validation-failed: the day, the cursor */
export async function listTlsResults(
  database: Database,
  { cursor, limit = PAGE, ...filter }: TlsResultsQuery,
): Promise<TlsResultPage> {
  const after = cursor === undefined ? null : decodeCursor(cursor);
  const found = await readTlsResults(database, filter, { after, limit: limit + 1, isNewestFirst: true });
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: found.length > limit && last !== undefined ? encodeCursor(last) : null };
}

/** The calendar must have it, too. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`);
}

function encodeCursor({ day, policy_domain, policy_type, mx_host, outcome }: TlsResult): string {
  return Buffer.from(JSON.stringify([day, policy_domain, policy_type, mx_host ?? '', outcome])).toString(
    'base64url',
  );
}

/** @throws AppError validation-failed */
function decodeCursor(cursor: string): TlsResult {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const [day, policy_domain, policy_type, mx_host, outcome] = parts.filter(
      (part) => typeof part === 'string' && !part.includes('\0'),
    ) as [string, string, TlsResult['policy_type'], string, string];
    if (outcome !== undefined && isDay(day))
      return { day, policy_domain, policy_type, mx_host, outcome, sessions: 0 };
  } catch {
    // Not one of ours.
  }
  throw validationError({ cursor: 'is none that this list has given out' });
}
