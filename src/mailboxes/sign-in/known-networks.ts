/** The networks from which the owner of a mailbox has signed in. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { KNOWN_DAYS, KNOWN_NETWORKS } from '../../accounts/passwords/limits.ts';

interface MailboxId {
  projectId: string;
  mailboxId: string;
}

/** Records a sign-in from a network, at most once a day. If the mailbox has too many networks, the oldest network is deleted. */
export async function rememberNetwork(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  network: string,
): Promise<void> {
  await sql`
    with seen as (
      insert into sign_in_networks as n (project_id, mailbox_id, network, seen_at)
      select project_id, id, ${network}, now() from mailboxes where project_id = ${projectId} and id = ${mailboxId}
      on conflict (project_id, mailbox_id, network) do update set seen_at = excluded.seen_at
      where n.seen_at < now() - interval '1 day'
      returning 1
    )
    delete from sign_in_networks
    where exists (select from seen) and project_id = ${projectId} and mailbox_id = ${mailboxId} and network <> ${network}
      and network not in (
        select network from sign_in_networks
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and network <> ${network}
          and seen_at > now() - ${KNOWN_DAYS} * interval '1 day'
        order by seen_at desc limit ${KNOWN_NETWORKS - 1})`.execute(database);
}

export async function knownNetworks(
  database: Database,
  { projectId, mailboxId }: MailboxId,
): Promise<string[]> {
  const rows = await database
    .selectFrom('signInNetworks')
    .select('network')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .execute();
  return rows.map(({ network }) => network);
}
