/** The mailboxes of many addresses, by one statement, and what they have room for, by another one. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { type QuotaUse, readQuotas } from '../../store/room.ts';
import { type AskedAddress, isRole } from './read-address.ts';

/** A mailbox that mail is for. */
export interface RoutedMailbox {
  projectId: string;
  mailboxId: string;
  /** Its own address, without a tag. */
  address: string;
  /** Its own, else its project's. */
  spamLevel: SpamLevel;
  /** When it was looked for. */
  room: QuotaUse;
}

export interface FoundRoute {
  /** Whether mail of the domain comes here. */
  isServed: boolean;
  mailbox: RoutedMailbox | null;
}

export interface Places {
  /** A-labels, lower case */
  hostedDomain: string;
  /** Whether claims that are not verified get mail too: in development. */
  takesUnverified: boolean;
}

type Asked = Pick<AskedAddress, 'domain' | 'key'> & { at: number };

const ASKED = rowsOf<Asked>('a', {
  at: ['int4', ({ at }) => at],
  domain: ['text', ({ domain }) => domain],
  key: ['text', ({ key }) => key],
  is_role: ['bool', ({ key }) => isRole(key)],
});

interface Row {
  isHosted: boolean | null;
  projectId: string | null;
  id: string;
  localPart: string | null;
  domain: string;
  spamLevel: SpamLevel;
}

/**
 * Mail of a domain goes to the one verified claim on it (docs/domains.md), and there to the mailbox with the address, else to
 * the catch-all, else, for a role, to the domain's first mailbox. What the projects of the hosted domain have there is theirs
 * alone: it has no catch-all, and its roles are the operator's.
 * @returns one for each address, in order
 */
export async function findMailboxes(
  database: Database,
  { hostedDomain, takesUnverified }: Places,
  asked: readonly Pick<AskedAddress, 'domain' | 'key'>[],
): Promise<FoundRoute[]> {
  const unverified = sql`
    union all (select 2, d.id, false from domains d
      where d.name = a.domain and d.project_id <> ${HOSTED_PROJECT_ID}::uuid
      order by exists (select from mailboxes m where m.domain_id = d.id) desc,
        (select h.verified_at from domains_verified_by_hand h where h.project_id = d.project_id and h.domain_id = d.id) nulls last,
        d.created_at, d.id
      limit 1)`;
  const columns = sql`m.project_id, m.id, m.local_part, m.domain, m.spam_level`;
  const { rows } = await sql<Row>`
    select claim.is_hosted, mailbox.project_id, mailbox.id, mailbox.local_part, mailbox.domain,
      coalesce(mailbox.spam_level, (select p.default_spam_level from projects p where p.id = mailbox.project_id)) as spam_level
    from ${ASKED.from(asked.map((address, at) => ({ ...address, at })))}
    left join lateral (
      select 0 as rank, d.id, true as is_hosted from domains d
        where d.project_id = ${HOSTED_PROJECT_ID}::uuid and d.name = ${hostedDomain} and d.name = a.domain
      union all select 1, d.id, false from domains d
        where d.name = a.domain and d.status in ('verified', 'warning') and d.project_id <> ${HOSTED_PROJECT_ID}::uuid
      ${takesUnverified ? unverified : sql``}
      order by rank limit 1
    ) claim on true
    left join lateral (
      select 0 as rank, ${columns} from mailboxes m where m.domain_id = claim.id and m.local_part_key = a.key
      union all select 1, ${columns} from mailboxes m where m.domain_id = claim.id and m.is_catch_all
      union all (select 2, ${columns} from mailboxes m
        where m.domain_id = claim.id and a.is_role and not claim.is_hosted order by m.id limit 1)
      order by rank limit 1
    ) mailbox on true
    order by a.at`.execute(database);
  const keys = new Map(
    rows.flatMap(({ projectId, id }) =>
      projectId === null ? [] : [[id, { projectId, mailboxId: id }] as const],
    ),
  );
  const rooms =
    keys.size === 0 ? new Map<string, QuotaUse>() : await readQuotas(database, [...keys.values()]);
  return rows.map(({ isHosted, projectId, id, localPart, domain, spamLevel }) => {
    const room = rooms.get(id);
    const address = `${localPart?.normalize('NFC')}@${domain}`;
    const mailbox =
      projectId === null || room === undefined
        ? null
        : { projectId, mailboxId: id, address, spamLevel, room };
    return { isServed: isHosted !== null, mailbox };
  });
}

/** Null: it was deleted. */
export async function findMailboxByKey(database: Database, key: MailboxKey): Promise<RoutedMailbox | null> {
  const row = await database
    .selectFrom('mailboxes')
    .innerJoin('projects', 'projects.id', 'mailboxes.projectId')
    .select(['localPart', 'domain', 'spamLevel', 'defaultSpamLevel'])
    .where('mailboxes.projectId', '=', key.projectId)
    .where('mailboxes.id', '=', key.mailboxId)
    .executeTakeFirst();
  const room = (await readQuotas(database, [key])).get(key.mailboxId);
  if (row === undefined || room === undefined) return null;
  const address = `${row.localPart.normalize('NFC')}@${row.domain}`;
  return { ...key, address, spamLevel: row.spamLevel ?? row.defaultSpamLevel, room };
}
