/** Mailboxes of this instance that mail of its own projects reaches without leaving the machine. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import {
  mailboxesOfClaim,
  readRouted,
  ROUTED_COLUMNS,
  type RoutedMailbox,
  type RoutedRow,
} from '../route/find-mailboxes.ts';

export interface AskedInside {
  /** Of the sender. */
  projectId: string;
  /** A-labels, lower case. */
  domain: string;
  /** Of the mailbox: see `mailboxKey`. */
  key: string;
}

const DOMAINS = rowsOf<string>('a', { domain: ['text', (domain) => domain] });

/** Which of these domains have a mailbox or an alias here at all. */
export async function findDomains(database: Database, domains: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ domain: string }>`
    select distinct a.domain from ${DOMAINS.from(domains)} join domains d on d.name = a.domain
    where exists (select from mailboxes m where m.domain_id = d.id) or exists (select from aliases l where l.domain_id = d.id)`.execute(
    database,
  );
  return new Set(rows.map(({ domain }) => domain));
}

const ASKED = rowsOf<AskedInside & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  project_id: ['uuid', ({ projectId }) => projectId],
  domain: ['text', ({ domain }) => domain],
  key: ['text', ({ key }) => key],
});

/**
 * Anybody may add `gmail.com`, and must not get what others send there. So a claim counts on the hosted domain, where DNS sends the domain's
 * mail here by a verified claim, and for what its own project sends.
 * @returns one for each question, in order; none: the message goes out
 */
export async function findInside(
  database: Database,
  hostedDomain: string,
  asked: readonly AskedInside[],
): Promise<RoutedMailbox[][]> {
  const { rows } = await sql<RoutedRow>`
    select ${ROUTED_COLUMNS}
    from ${ASKED.from(asked.map((one, at) => ({ ...one, at })))}
    left join lateral (
      select 0 as rank, d.id from domains d
        where d.project_id = ${HOSTED_PROJECT_ID}::uuid and d.name = ${hostedDomain} and d.name = a.domain
      union all select 1, d.id from domains d
        where d.name = a.domain and d.status in ('verified', 'warning') and d.project_id <> ${HOSTED_PROJECT_ID}::uuid
          and d.checks -> ('MX ' || d.name) ->> 'status' = 'verified'
      union all select 2, d.id from domains d where d.name = a.domain and d.project_id = a.project_id
      order by rank limit 1
    ) claim on true
    ${mailboxesOfClaim()}`.execute(database);
  const routed = await readRouted(database, rows);
  return asked.map((_, at) => routed.get(at) ?? []);
}
