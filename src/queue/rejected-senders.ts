/**
 * Senders that a destination refuses while it takes the mail of others. What such a sender has for the destination waits
 * for a destination of its own, which is closed, probed and opened like any other. When it opens, its rows go back to the backlog
 * of the domain.
 */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { HAS_KEY, holdingDestinations } from './fragments.ts';

/** A space cannot stand in a domain. */
const FROM = ' from ';

/**
 * What the mail of a refused sender waits for.
 * @param domain of the recipients
 * @param sender the domain of the sender
 */
export function nameOfSender(domain: string, sender: string): string {
  return domain + FROM + sender;
}

/** The domain to which mail goes that waits for a destination of that name. */
export function domainOf(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

/**
 * Whether the domain began to refuse another sender, which it still refuses.
 * @param name what the one waits for that is known
 * @param withinMs so long ago at most
 */
export async function rejectsAnotherSender(
  database: Database,
  name: string,
  withinMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from destinations
    where domain = ${domainOf(name)} and name <> domain and name <> ${name} and failures > 0
      and failing_since >= now() - least(${withinMs}::float8, 1e12) * interval '1 millisecond'
    limit 1`.execute(database);
  return rows.length > 0;
}

/**
 * Up to `limit` of the rows that wait for a sender that is taken again are a backlog of its domain from here on.
 * @returns how many
 */
export async function rejoinBacklog(database: Database, name: string, limit: number): Promise<number> {
  const domain = domainOf(name);
  const { numAffectedRows } = await sql`
    with ${holdingDestinations([domain])}, waiting as (
      select project_id, email_id, recipient_index from queue
      where destination = ${name} and next_attempt_at = 'infinity'
      limit ${limit} for no key update skip locked
    )
    update queue r set destination = ${domain}
    from waiting k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}
