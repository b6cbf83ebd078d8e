/**
 * Senders that a destination rejects although it accepts mail from other senders. Mail from a rejected sender waits for a separate
 * destination, which is closed, probed and opened like any other destination. When this destination opens, its rows move to the backlog of
 * the domain.
 */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { HAS_KEY, lockingDestinations } from './fragments.ts';

/** Separates domain and sender. A domain cannot contain a space, so the name is unambiguous. */
const FROM = ' from ';

/**
 * The name of the destination for which mail from a rejected sender waits.
 * @param domain the domain of the recipients
 * @param sender the domain of the sender
 */
export function nameOfSender(domain: string, sender: string): string {
  return domain + FROM + sender;
}

/** The recipient domain of mail that waits for the destination with this name. */
export function domainOf(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

/**
 * Whether the domain recently began to reject another sender too, and still rejects it.
 * @param name the destination of the rejected sender to ignore (`nameOfSender`)
 * @param withinMs maximum time since the domain began to reject the other sender
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
 * Moves up to `limit` rows from a sender to the backlog of its domain, once the domain accepts the sender again.
 * @returns the number of moved rows
 */
export async function rejoinBacklog(database: Database, name: string, limit: number): Promise<number> {
  const domain = domainOf(name);
  const { numAffectedRows } = await sql`
    with ${lockingDestinations([domain])}, waiting as (
      select project_id, email_id, recipient_index from queue
      where destination = ${name} and next_attempt_at = 'infinity'
      limit ${limit} for no key update skip locked
    )
    update queue r set destination = ${domain}
    from waiting k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}
