/** Which domains have mailboxes of this instance at all. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';

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
