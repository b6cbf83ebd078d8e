/** Mailboxes of this instance that mail of its own projects reaches without leaving the machine. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import {
  MAIL_CLAIM_COLUMNS,
  type MailClaim,
  type MailClaimRow,
  mailClaim,
  type MailDomains,
  readMailClaim,
} from '../../domains/mx/mail-claim.ts';
import {
  mailboxesOfClaim,
  readRouted,
  ROUTED_COLUMNS,
  type RoutedMailbox,
  type RoutedRow,
} from '../route/find-mailboxes.ts';

export interface InsideQuery {
  /** A-labels, lower case. */
  domain: string;
  /** Of the mailbox: see `mailboxKey`. */
  key: string;
}

export interface InsideMatch {
  /** The claim that has the mail of the domain. Whether that mail stays here depends on its MX too (`standingOf`). */
  claim: MailClaim;
  /** At least one. */
  mailboxes: readonly RoutedMailbox[];
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

const QUERIES = rowsOf<InsideQuery & { at: number }>('a', {
  at: ['int4', ({ at }) => at],
  domain: ['text', ({ domain }) => domain],
  key: ['text', ({ key }) => key],
});

/** @returns one for each query, in order; null: no mailbox here has the address, or its domain was never verified */
export async function findInside(
  database: Database,
  domains: MailDomains,
  queries: readonly InsideQuery[],
): Promise<(InsideMatch | null)[]> {
  const { rows } = await sql<RoutedRow & MailClaimRow>`
    select ${MAIL_CLAIM_COLUMNS}, ${ROUTED_COLUMNS}
    from ${QUERIES.from(queries.map((one, at) => ({ ...one, at })))}
    ${mailClaim(domains)}
    ${mailboxesOfClaim()}`.execute(database);
  const routed = await readRouted(database, rows);
  const claims = new Map(rows.map((row) => [row.at, readMailClaim(row)]));
  return queries.map((_, at) => {
    const claim = claims.get(at) ?? null;
    const mailboxes = routed.get(at) ?? [];
    return claim === null || mailboxes.length === 0 ? null : { claim, mailboxes };
  });
}
