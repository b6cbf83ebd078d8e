import type { Database } from '../../../db/database.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import type { KnownPeople } from './sender-warnings.ts';

const MAX_DOMAINS = 200;
const MAX_NAMESAKES = 10;

/** @param name of the sender as it is seen; empty: there is none */
export async function knownPeople(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  name: string,
): Promise<KnownPeople> {
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
  return {
    domains: [
      ...new Set([...domains.map((domain) => domain.name), ...(own === undefined ? [] : [own.domain])]),
    ],
    namesakes,
  };
}
