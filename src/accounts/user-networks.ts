/** The networks from which a user has signed in. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { KNOWN_DAYS, KNOWN_NETWORKS } from './passwords/limits.ts';

/** Records a sign-in from a network, at most once a day. Deletes old networks, and the oldest networks beyond the maximum number. */
export async function rememberUserNetwork(
  database: Database,
  userId: string,
  network: string,
): Promise<void> {
  await sql`
    with seen as (
      insert into user_networks as n (user_id, network, seen_at) select id, ${network}, now() from users where id = ${userId}
      on conflict (user_id, network) do update set seen_at = excluded.seen_at
      where n.seen_at < now() - interval '1 day'
      returning 1
    )
    delete from user_networks
    where exists (select from seen) and user_id = ${userId} and network <> ${network}
      and network not in (
        select network from user_networks
        where user_id = ${userId} and network <> ${network} and seen_at > now() - ${KNOWN_DAYS} * interval '1 day'
        order by seen_at desc limit ${KNOWN_NETWORKS - 1})`.execute(database);
}

export async function userNetworks(
  database: Database | DatabaseTransaction,
  userId: string,
): Promise<string[]> {
  const rows = await database
    .selectFrom('userNetworks')
    .select('network')
    .where('userId', '=', userId)
    .execute();
  return rows.map(({ network }) => network);
}
