import type { MailMessageSummary } from '../../../contract/mail/conversations.ts';
import { columnsOf, type RowOf } from '../../../db/columns.ts';
import type { Database } from '../../../db/database.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { seenText } from '../seen-text.ts';
import type { KnownPeople } from './sender-warnings.ts';

const MAX_DOMAINS = 200;
const MAX_OTHERS = 500;
const MAX_PEOPLE = 1_000;
const MAX_NAMESAKES = 10;
const NO_PEOPLE: KnownPeople = { domains: [], others: [], written: [], namesakes: [] };

/** Reads the people and domains known to the reader that a sender may imitate. */
export async function knownPeople(
  database: Database,
  mailbox: MailboxKey,
  sender: MailMessageSummary['from'][number] | undefined,
): Promise<KnownPeople> {
  if (sender === undefined) return NO_PEOPLE;
  const { projectId, mailboxId } = mailbox;
  const name = seenText(sender.name ?? '');
  const domains = await database
    .selectFrom('domains')
    .select('name')
    .where('projectId', '=', projectId)
    .limit(MAX_DOMAINS)
    .execute();
  const own = await database
    .selectFrom('mailboxes')
    .select('domain')
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirst();
  const namesakes =
    name.length < 3
      ? []
      : await database
          .selectFrom('people')
          .select(['name', 'email as address'])
          .where('projectId', '=', projectId)
          .where('name', 'ilike', name.replaceAll(/[\\%_]/g, '\\$&'))
          .limit(MAX_NAMESAKES)
          .execute();
  const others = await knownDomains(database, mailbox, sender.address);
  return {
    domains: [
      ...new Set([...domains.map((domain) => domain.name), ...(own === undefined ? [] : [own.domain])]),
    ],
    others: [...new Set(others.map(({ domain }) => domain))],
    written: others.flatMap(({ written }) => written ?? []),
    namesakes,
  };
}

const KNOWN_DOMAIN = columnsOf({ domain: 'text', written: 'text[]?' });

/**
 * The domains that the owner has written to, most recent first, and the domains in the directory if mailboxes can see the directory. Both
 * lists are short (`MAX_CONTACTS`, `MAX_PEOPLE`).
 */
async function knownDomains(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  address: string,
): Promise<RowOf<typeof KNOWN_DOMAIN>[]> {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const { rows } = await KNOWN_DOMAIN.sql`
    (select substring(address_key from '[^@]*$') as domain,
      array_agg(address_key) filter (where substring(address_key from '[^@]*$') = ${domain}) as written
    from written_addresses where project_id = ${projectId} and mailbox_id = ${mailboxId} and written_at > 'epoch'
    group by 1 order by max(written_at) desc limit ${MAX_OTHERS})
    union all
    (select distinct substring(p.email_key from '[^@]*$'), null::text[]
    from (
      select email_key from people
      where project_id = ${projectId} and exists (select from projects where id = ${projectId} and mail_directory) limit ${MAX_PEOPLE}
    ) p limit ${MAX_OTHERS})`.execute(database);
  return rows;
}
