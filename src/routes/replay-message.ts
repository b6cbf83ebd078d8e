import { recordChange } from '../accounts/audit.ts';
import type { RouteReplay } from '../contract/routes.ts';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { ROUTE_KEEP_DAYS, type RouteMessageStatus } from '../model/routes.ts';

const FOUND = columnsOf({
  status: shaped<RouteMessageStatus>('text'),
  nextAttemptAt: 'timestamptz',
  hasUrl: 'bool',
  wasChanged: 'bool',
});

/**
 * Sends a message again: a pending message is due now, and any other message gets a full set of attempts. A message that is due already, or
 * whose attempt is in progress, is not changed, so repeating the request sends nothing twice.
 * @returns null if the route has no such message
 * @throws AppError bad-request if the route has no URL
 */
export function replayMessage(
  database: Database,
  { projectId, routeId, messageId }: { projectId: string; routeId: string; messageId: string },
): Promise<RouteReplay | null> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await FOUND.sql`
      with found as (
        select m.project_id, m.id, m.status, m.next_attempt_at, r.url is not null as has_url, m.status <> 'pending' as is_ended
        from route_messages m join routes r on r.project_id = m.project_id and r.id = m.route_id
        where m.project_id = ${projectId} and m.route_id = ${routeId} and m.id = ${messageId}
        for no key update of m
      ), changed as (
        update route_messages m
        set status = 'pending', next_attempt_at = now(), attempts = case when f.is_ended then 0 else m.attempts end,
            delivered_at = null, lease_id = null, expires_at = now() + ${ROUTE_KEEP_DAYS}::int * interval '1 day'
        from found f
        where m.project_id = f.project_id and m.id = f.id and f.has_url
          -- The clock and not now(): a request that waited for another one must see that the message is due.
          and (f.is_ended or m.lease_id is null and m.next_attempt_at > clock_timestamp())
        returning m.next_attempt_at
      )
      select coalesce((select 'pending' from changed), f.status) as status, coalesce((select c.next_attempt_at from changed c),
        f.next_attempt_at) as next_attempt_at, f.has_url, exists (select from changed) as was_changed
      from found f`.execute(tx);
    const [found] = rows;
    if (found === undefined) return null;
    if (!found.hasUrl)
      throw new AppError('bad-request', 'The route has no URL, so nothing is sent. Give it a URL first.');
    const id = encodeId('rm', messageId);
    if (found.wasChanged)
      await recordChange(tx, {
        of: { projectId },
        action: 'route.replay-message',
        target: encodeId('rt', routeId),
        after: { message_id: id },
      });
    return { id, status: found.status, next_attempt_at: found.nextAttemptAt.toISOString() };
  });
}
