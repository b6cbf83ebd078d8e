/** Claims messages for sending, and records the outcome. */
import { type RawBuilder, sql } from 'kysely';
import { hasProvedAddress } from '../accounts/verification.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import { encodeId } from '../model/ids.ts';
import type { AlertChannelName, AlertType } from '../model/alerts.ts';
import type { AlertMessage, AlertTarget, ChannelResult, StoredContent } from './channel.ts';
import { IS_ENTITLED } from './entitled.ts';
import { openTarget } from './sealed.ts';
import { TIMINGS } from './timings.ts';

/** The number of days after which a subscription is disabled if all its messages failed, as for webhooks. */
const DISABLE_AFTER_DAYS = 5;

/** Columns of a subscription `s` and its user `u`, and the project `p` if there is one. */
export const TARGET = columnsOf({
  subscriptionId: 'uuid',
  userId: 'uuid',
  email: 'text',
  isEmailVerified: 'bool',
  userName: 'text',
  timeZone: 'text',
  channel: shaped<AlertChannelName>('text'),
  urlSealed: 'text?',
  secretSealed: 'text?',
  projectId: 'uuid?',
  projectName: 'text?',
});
export const TARGET_COLUMNS: RawBuilder<unknown> = sql`
  s.id as subscription_id, u.id as user_id, u.email, ${hasProvedAddress(sql`u`)} as is_email_verified, u.name as user_name, s.time_zone,
  s.channel, s.url_sealed, s.secret_sealed, s.project_id, (select name from projects where id = s.project_id) as project_name`;

const CLAIMED = columnsOf({
  ...TARGET.kinds,
  id: 'uuid',
  type: shaped<AlertType>('text'),
  content: shaped<object>('json'),
  createdAt: 'timestamptz',
  attempts: 'int2',
});
export type ClaimedRow = RowOf<typeof CLAIMED>;

/**
 * Claims due messages, at most one for each subscription, so that they arrive in order. The same statement checks that the user may still
 * get them.
 */
export async function claimMessages(
  database: Database,
  channels: readonly AlertChannelName[],
  limit: number,
): Promise<ClaimedRow[]> {
  const { rows } = await CLAIMED.sql`
    with due as materialized (
      select m.id from alert_messages m join alert_subscriptions s on s.id = m.subscription_id
      where m.sent_at is null and m.next_attempt_at <= now() and (m.claimed_until is null or m.claimed_until < now())
        and m.created_at > now() - ${TIMINGS.keepMs} * interval '1 millisecond' and s.enabled
        and s.channel = any (${channels}) and ${IS_ENTITLED}
        and not exists (
          select from alert_messages e
          where e.subscription_id = m.subscription_id and e.id < m.id and e.sent_at is null
            and e.created_at > now() - ${TIMINGS.keepMs} * interval '1 millisecond')
      order by m.next_attempt_at limit ${limit}
      for update of m skip locked
    )
    update alert_messages m
    set claimed_until = now() + ${TIMINGS.claimMs} * interval '1 millisecond', attempts = least(m.attempts + 1, 1000)
    from due, alert_subscriptions s, users u
    where m.id = due.id and s.id = m.subscription_id and u.id = s.user_id
    returning ${TARGET_COLUMNS}, m.id, m.type, m.content, m.created_at, m.attempts`.execute(database);
  return rows;
}

/**
 * Records the outcome of an attempt, unless another process has claimed the message since. The subscription is locked before the message, as
 * when a user removes it, to avoid a deadlock.
 */
export async function settleMessage(
  database: Database,
  { id, attempts }: Pick<ClaimedRow, 'id' | 'attempts'>,
  result: ChannelResult,
): Promise<void> {
  const locked = sql`
    locked as materialized (
      select s.id from alert_messages m join alert_subscriptions s on s.id = m.subscription_id
      where m.id = ${id} for no key update of s
    )`;
  const isMine = sql`m.id = ${id} and m.subscription_id = locked.id and attempts = ${attempts} and sent_at is null`;
  if (result.isDelivered) {
    await sql`
      with ${locked}, sent as (
        update alert_messages m set sent_at = now(), claimed_until = null from locked where ${isMine} returning subscription_id
      )
      update alert_subscriptions s set failing_since = null, last_error = null, last_sent_at = now()
      from sent where s.id = sent.subscription_id`.execute(database);
    return;
  }
  const delayMs = Math.min(TIMINGS.firstDelayMs * 2 ** (attempts - 1), TIMINGS.maxDelayMs);
  await sql`
    with ${locked}, failed as (
      update alert_messages m
      set next_attempt_at = now() + ${delayMs} * interval '1 millisecond', claimed_until = null
      from locked where ${isMine} returning subscription_id
    ), judged as (
      select s.id, ${result.isPermanent}::bool as is_permanent,
        s.failing_since < now() - ${DISABLE_AFTER_DAYS}::int * interval '1 day' as has_failed_too_long
      from failed join alert_subscriptions s on s.id = failed.subscription_id
    )
    update alert_subscriptions s
    set failing_since = coalesce(s.failing_since, now()), last_error = ${result.error},
      enabled = not (j.is_permanent or j.has_failed_too_long is true),
      disabled_reason = case when j.is_permanent then 'rejected' when j.has_failed_too_long then 'failing' end
    from judged j where s.id = j.id and s.enabled`.execute(database);
}

/** @param baseUrl without a trailing slash */
export function messageOf(row: ClaimedRow, baseUrl: string): AlertMessage {
  const { id, createdAt, type, content } = row;
  return { id, createdAt, ...scopeOf(row, baseUrl), content: { ...content, type } as StoredContent };
}

/** The project of a message and the links to its pages. */
export function scopeOf(
  { projectId, projectName }: Pick<RowOf<typeof TARGET>, 'projectId' | 'projectName'>,
  baseUrl: string,
): Pick<AlertMessage, 'project' | 'links'> {
  if (projectId === null || projectName === null)
    return {
      project: null,
      links: {
        problems: `${baseUrl}/dashboard/system`,
        alerts: `${baseUrl}/dashboard/settings?tab=alerts`,
      },
    };
  const id = encodeId('prj', projectId);
  return {
    project: { id, name: projectName },
    links: {
      problems: `${baseUrl}/dashboard/?project=${id}`,
      alerts: `${baseUrl}/dashboard/settings?tab=alerts&project=${id}`,
    },
  };
}

export function targetOf(sealer: Sealer, row: RowOf<typeof TARGET>): AlertTarget {
  const { subscriptionId, userId, email, isEmailVerified, userName, timeZone } = row;
  return {
    subscriptionId,
    userId,
    email,
    isEmailVerified,
    userName,
    timeZone,
    ...openTarget(sealer, { id: subscriptionId, urlSealed: row.urlSealed, secretSealed: row.secretSealed }),
  };
}
