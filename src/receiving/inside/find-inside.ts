/** Mailboxes of this instance that mail of its own projects reaches without leaving the machine. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import { readQuotas } from '../../store/room.ts';
import type { RoutedMailbox } from '../route/find-mailboxes.ts';

export interface AskedInside {
  /** Of the sender. */
  projectId: string;
  /** A-labels, lower case. */
  domain: string;
  /** Of the mailbox: see `mailboxKey`. */
  key: string;
}

interface Row {
  projectId: string | null;
  id: string;
  localPart: string | null;
  domain: string;
  spamLevel: SpamLevel;
}

const DOMAINS = rowsOf<string>('a', { domain: ['text', (domain) => domain] });

/** Which of these domains have a mailbox here at all. */
export async function findDomains(database: Database, domains: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ domain: string }>`
    select distinct a.domain from ${DOMAINS.from(domains)} join domains d on d.name = a.domain
    where exists (select from mailboxes m where m.domain_id = d.id)`.execute(database);
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
 * @returns one for each question, in order; null: the message goes out
 */
export async function findInside(
  database: Database,
  hostedDomain: string,
  asked: readonly AskedInside[],
): Promise<(RoutedMailbox | null)[]> {
  const columns = sql`m.project_id, m.id, m.local_part, m.domain, m.spam_level`;
  const { rows } = await sql<Row>`
    select mailbox.project_id, mailbox.id, mailbox.local_part, mailbox.domain,
      coalesce(mailbox.spam_level, (select p.default_spam_level from projects p where p.id = mailbox.project_id)) as spam_level
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
    left join lateral (
      select 0 as rank, ${columns} from mailboxes m where m.domain_id = claim.id and m.local_part_key = a.key
      union all select 1, ${columns} from mailboxes m where m.domain_id = claim.id and m.is_catch_all
      order by rank limit 1
    ) mailbox on true
    order by a.at`.execute(database);
  const keys = rows.flatMap(({ projectId, id }) =>
    projectId === null ? [] : [{ projectId, mailboxId: id }],
  );
  const rooms = keys.length === 0 ? new Map() : await readQuotas(database, keys);
  return rows.map(({ projectId, id, localPart, domain, spamLevel }) => {
    const room = rooms.get(id);
    return projectId === null || room === undefined
      ? null
      : { projectId, mailboxId: id, address: `${localPart?.normalize('NFC')}@${domain}`, spamLevel, room };
  });
}
