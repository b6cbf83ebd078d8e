/** Deletes expired rows in the background, in batches. Only one worker of the installation deletes at a time. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { deletingTogether } from '../db/delete-together.ts';
import * as clock from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt } from '../model/ids.ts';
import { LOG_DAYS } from './api-log/limits.ts';
import { AUDIT_DAYS, SESSION_DAYS, SESSION_IDLE_DAYS } from './limits.ts';

const BATCH = 1_000;

/**
 * Deletes ended sessions, expired links, ended snoozes, and entries of the audit log and the API log past their retention.
 * @param keepDays the installation's retention of emails; null to retain emails forever
 * @yields the number of deleted rows
 */
export function deletingExpiredAccountRows(
  database: Database,
  keepDays: number | null,
): AsyncGenerator<number, void, void> {
  const daysAgo = (days: number) => firstUuidAt(new Date(clock.nowMs() - days * DAY_MS));
  return deletingTogether(database, [
    sql`
      delete from sessions where id = any (array(
        select id from sessions where used_at < now() - ${SESSION_IDLE_DAYS} * interval '1 day'
          or created_at < now() - ${SESSION_DAYS} * interval '1 day' limit ${BATCH} for update skip locked))`,
    sql`
      delete from sign_in_links where id = any (array(
        select id from sign_in_links where expires_at < now() limit ${BATCH} for update skip locked))`,
    sql`
      delete from snoozes where ctid = any (array(
        select ctid from snoozes where until < now() order by until limit ${BATCH}))`,
    sql`
      delete from audit_log where (organization_id, id) in (
        select organization_id, id from audit_log where created_at < now() - ${AUDIT_DAYS} * interval '1 day'
        order by created_at limit ${BATCH})`,
    sql`
      delete from system_changes where id = any (array(
        select id from system_changes where id < ${daysAgo(AUDIT_DAYS)}
        order by id limit ${BATCH}))`,
    sql`
      delete from rejected_requests where id = any (array(
        select id from rejected_requests where id < ${daysAgo(Math.min(LOG_DAYS, keepDays ?? LOG_DAYS))}
        order by id limit ${BATCH} for update skip locked))`,
  ]);
}
