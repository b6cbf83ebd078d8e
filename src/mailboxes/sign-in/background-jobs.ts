/** Deletes expired sign-in data in the background, in batches, on one machine at a time. */
import { sql } from 'kysely';
import { SESSION_DAYS, SESSION_IDLE_DAYS } from '../../accounts/limits.ts';
import type { Database } from '../../db/database.ts';
import { deletingTogether } from '../../db/delete-together.ts';
import { KNOWN_DAYS } from '../../accounts/passwords/limits.ts';
import { TIMINGS as DATABASE_TIMINGS } from '../../db/timings.ts';
import { TIMINGS } from './timings.ts';

const BATCH = 1_000;

/**
 * Deletes expired counts of wrong passwords, old records of credential changes, old tickets, sessions of dead processes, ended web
 * sessions, and old sign-ins. Yields the number of deleted rows.
 */
export function forgettingSignIns(database: Database): AsyncGenerator<number, void, void> {
  return deletingTogether(database, [
    sql`
      delete from sign_in_guesses where key = any (array(
        select key from sign_in_guesses where forgiven_at < now() limit ${BATCH} for update skip locked))`,
    sql`
      delete from credential_changes where ctid = any (array(
        select ctid from credential_changes where changed_at < now() - ${TIMINGS.changesRetainedMs} * interval '1 millisecond'
        order by changed_at limit ${BATCH}))`,
    sql`
      delete from used_tickets where id = any (array(
        select id from used_tickets where expires_at < now() order by expires_at limit ${BATCH} for update skip locked))`,
    sql`
      delete from mailbox_sessions where ctid = any (array(
        select s.ctid from mailbox_sessions s
        where not exists (
          select from processes p where p.id = s.process_id
            and p.heartbeat_at > now() - ${DATABASE_TIMINGS.expiryMs} * interval '1 millisecond'
        ) limit ${BATCH}))`,
    sql`
      delete from web_sessions where id = any (array(
        select id from web_sessions where used_at < now() - ${SESSION_IDLE_DAYS} * interval '1 day'
          or created_at < now() - ${SESSION_DAYS} * interval '1 day' limit ${BATCH} for update skip locked))`,
    sql`
      delete from mailbox_sign_ins where ctid = any (array(
        select ctid from mailbox_sign_ins where signed_in_at < now() - ${KNOWN_DAYS} * interval '1 day' limit ${BATCH}))`,
  ]);
}
