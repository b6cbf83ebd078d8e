/** One email with its timeline, without its content. */
import { sql } from 'kysely';
import type { InspectedEmail } from '../contract/dashboard/email.ts';
import type { EventDetail } from '../contract/events.ts';
import { storedEvent, wasRelayed } from '../contract/stored-event.ts';
import type { Suppression } from '../contract/suppressions.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { EMAIL_STAGES, type TimelineType } from '../model/email-status.ts';
import { encodeId, messageIdOf, timeOf } from '../model/ids.ts';
import { DOMAIN } from '../queue/deferred.ts';
import { MAX_CRASHES } from '../queue/end-lease.ts';
import { SENDING_STOPPED, type SendingStopped } from '../queue/pause.ts';
import { isDomainPaused } from '../queue/paused-destinations.ts';
import { IS_SANDBOX, kindOfRow } from '../queue/provider-kind.ts';
import { mayTryNow } from '../sending/deliver/send-now.ts';
import { suppresses } from '../sending/suppress/suppressing.ts';
import { shown, type SuppressionRow } from '../sending/suppress/suppression-rows.ts';
import { STATUS } from '../sending/events/stored-status.ts';
import type { FileRange, MessageLayout } from '../model/message-layout.ts';
import type { Stream } from '../model/streams.ts';
import type { Tracking } from '../model/tracking.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { textArray, uuidArray } from '../db/arrays.ts';
import type { EventKey } from '../model/event-keys.ts';
import { IN_DOUBT } from '../model/deferral.ts';
import { ERASED } from '../model/erased.ts';
import { deferralOf } from './deferral-of.ts';
import { shownName } from './read-file.ts';

/** The delivery of an event to a webhook, finished or pending. */
const EVENT_DELIVERY = columnsOf({
  id: 'uuid',
  webhookId: 'uuid',
  url: 'text',
  eventId: 'uuid',
  type: shaped<EventKey>('text'),
  status: shaped<'pending' | 'delivered' | 'failed'>('text'),
  attempts: 'int2',
  maxAttempts: 'int2',
  httpStatus: 'int2?',
  error: 'text?',
  lastAttemptAt: 'timestamptz?',
  nextAttemptAt: 'timestamptz?',
});
type EventDelivery = RowOf<typeof EVENT_DELIVERY>;

/** The maximum number of deliveries read for one timeline. A page shows no more. */
const MAX_DELIVERIES = 2_000;

/** The number of events shown from the beginning of a long timeline, and from its end. */
const MAX_EVENTS = 500;
/** The events that say what happened to a recipient. The last event of each type is read, wherever it is in a long timeline. */
const OUTCOMES = [
  'deferred',
  'failed',
  'bounced',
  'complained',
  'delivered',
] as const satisfies TimelineType[];
const DIALOGUES = 5;

/**
 * Condition on an event `v`: it is about an attempt whose message may have been accepted. Replies of servers have a code, and the texts of
 * reports from other servers are not our own words. Erased recipients share an address, so nothing is known of them.
 */
const IS_IN_DOUBT = sql<boolean>`(
  v.type in ('deferred', 'bounced') and v.recipient <> ${sql.lit(ERASED)} and v.detail ->> 'smtp_code' is null
  and coalesce(v.detail ->> 'source', 'smtp') = 'smtp'
  and starts_with(coalesce(v.detail ->> 'response', v.detail ->> 'diagnostic'), ${sql.lit(IN_DOUBT)}))`;

const EMAIL = columnsOf({
  id: 'uuid',
  status: 'int2',
  reached: 'int2',
  stages: 'int2[]',
  sender: 'text',
  senderAddress: 'text',
  toList: 'text[]',
  subject: 'text',
  tags: 'text[]',
  cc: 'text[]',
  bcc: 'text[]',
  replyTo: 'text?',
  stream: shaped<Stream>('text'),
  scheduledAt: 'timestamptz?',
  tracking: shaped<Tracking | null>('json?'),
  bodiesDeletedAt: 'timestamptz?',
  messageId: 'text?',
  layout: shaped<MessageLayout | null>('json?'),
  recipients: shaped<RecipientRow[]>('json'),
  events: shaped<EventRow[]>('json'),
  inDoubt: 'text[]',
  eventCount: 'int4',
  domainId: 'uuid?',
  sendingStopped: shaped<SendingStopped | null>('text?'),
});
type EmailRow = RowOf<typeof EMAIL>;

interface RecipientRow {
  address: string;
  recipientIndex: number;
  crashes: number;
  attempts: number | null;
  nextAttemptAt: string | null;
  destination: string | null;
  isPaused: boolean | null;
  canTryNow: boolean | null;
  suppression: ListedAddress | null;
  /**
   * Whether the email was accepted for a sandbox, if the installation's provider is now of the other kind. Null if the kind is the same
   * or unknown.
   */
  isOtherSandbox: boolean | null;
}

interface EventRow {
  id: string;
  type: string;
  recipient: string | null;
  detail: object | null;
}

/** A row of the suppression list, as JSON. */
type ListedAddress = Omit<SuppressionRow, 'createdAt' | 'expiresAt'> & {
  createdAt: string;
  expiresAt: string | null;
};

/**
 * Reads an email with its timeline. A single statement reads both the status and the timeline, so that they agree.
 * @param seesBodies if false, the URLs of clicked links are omitted, because they are part of the content
 */
export async function readEmail(
  database: Database,
  projectId: string,
  emailId: string,
  seesBodies: boolean,
): Promise<InspectedEmail | null> {
  const { rows } = await EMAIL.sql`
    select e.id, ${STATUS} as status, e.reached, e.stages, e.sender, e.sender_address, e.to_list, e.subject, e.tags, e.scheduled_at, c.cc, c.bcc, c.reply_to, c.stream,
      g.message_id, g.layout, c.tracking, c.bodies_deleted_at, r.recipients, v.events, v.event_count, v.in_doubt,
      ${SENDING_STOPPED} as sending_stopped,
      (select d.id from domains d where d.project_id = e.project_id and d.name = split_part(e.sender_address, '@', -1)) as domain_id
    from emails e
    join email_contents c on c.project_id = e.project_id and c.email_id = e.id
    left join email_messages g on g.project_id = e.project_id and g.email_id = e.id
    cross join lateral (
      select coalesce(json_agg(json_build_object('address', r.address, 'recipientIndex', r.recipient_index, 'crashes', r.crashes, 'attempts', q.attempts,
        'nextAttemptAt', q.next_attempt_at, 'destination', q.waits_for, 'isPaused', q.is_paused, 'canTryNow', q.can_try_now,
        'isOtherSandbox', case when q.is_sandbox <> ${IS_SANDBOX} then q.is_sandbox end,
        'suppression', case when s.address is not null then json_build_object('address', s.address, 'reason', s.reason, 'detail', s.detail,
          'emailId', s.email_id, 'createdAt', s.created_at, 'expiresAt', s.expires_at) end) order by r.recipient_index), '[]') as recipients
      from email_recipients r
      left join lateral (
        -- A destination with only a backlog accepts mail, so its recipients do not wait for it. The next attempt of a failing destination is
        -- left out: while a worker tries the destination, the column holds the time at which another worker may do so.
        select q.attempts, q.is_sandbox, h.is_paused, h.can_try_now,
          case when h.is_paused then q.destination when d.failures > 0 then d.name end as waits_for,
          case when not h.is_paused and coalesce(d.failures, 0) = 0 and q.next_attempt_at < 'infinity' then q.next_attempt_at end as next_attempt_at
        from queue q
          cross join lateral (select ${isDomainPaused(DOMAIN)} as is_paused, ${mayTryNow()} as can_try_now) h
          -- A deferred recipient whose destination fails has a retry time of its own, and waits for the destination from then on.
          left join destinations d
            on d.name = case when q.next_attempt_at = 'infinity' then q.destination when q.attempts > 0 then ${DOMAIN} end
        where q.project_id = r.project_id and q.email_id = r.email_id and q.recipient_index = r.recipient_index
      ) q on true
      left join suppressions s on ${suppresses('s', 'r')}
      where r.project_id = e.project_id and r.email_id = e.id
    ) r
    cross join lateral (
      select coalesce(json_agg(json_build_object('id', v.id, 'type', v.type, 'recipient', v.recipient,
        'detail', case when v.dialogue > ${sql.lit(DIALOGUES)} then (v.detail::jsonb - 'dialogue' - 'lines')::json else v.detail end) order by v.id)
          filter (where v.first <= ${sql.lit(MAX_EVENTS)} or v.last <= ${sql.lit(MAX_EVENTS)} or (v.of_type = 1 and v.type = any(${textArray(OUTCOMES)}::text[]))),
          '[]') as events,
        count(*)::int as event_count,
        coalesce(array_agg(distinct v.recipient) filter (where ${IS_IN_DOUBT}), '{}') as in_doubt
      from (
        select v.*, row_number() over (order by v.id) as first, row_number() over (order by v.id desc) as last,
          row_number() over (partition by v.recipient, v.type order by v.id desc) as of_type,
          count(coalesce(v.detail -> 'lines', v.detail -> 'dialogue')) over (partition by v.recipient order by v.id desc) as dialogue
        from events v where v.project_id = e.project_id and v.email_id = e.id
      ) v
    ) v
    where e.project_id = ${projectId} and e.id = ${emailId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const deliveries = await readDeliveries(
    database,
    projectId,
    row.events.map(({ id }) => id),
  );
  return emailOf(row, deliveries, seesBodies);
}

function emailOf(row: EmailRow, deliveries: readonly EventDelivery[], seesBodies: boolean): InspectedEmail {
  const { tracking } = row;
  const fields = fieldsOf(row);
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  const outcomes = outcomesOf(row.events);
  const hasBodies = row.bodiesDeletedAt === null;
  const recipients = row.recipients.map((recipient) => ({
    ...attemptOf(outcomes.get(recipient.address), recipient.attempts !== null),
    is_in_doubt: row.inDoubt.includes(recipient.address),
    address: recipient.address,
    is_erased: recipient.address === ERASED,
    field: fields.get(recipient.address) ?? 'bcc',
    status: EMAIL_STAGES[Math.max(row.stages[recipient.recipientIndex] ?? 0, row.reached)] ?? 'queued',
    attempts: recipient.attempts ?? 0,
    next_attempt_at: row.sendingStopped === null ? iso(recipient.nextAttemptAt) : null,
    waits_for: recipient.destination,
    is_paused: recipient.isPaused ?? false,
    can_try_now: recipient.canTryNow ?? false,
    is_abandoned: recipient.crashes >= MAX_CRASHES,
    can_retry: hasBodies && recipient.crashes >= MAX_CRASHES,
    suppression: suppressionOf(recipient.suppression),
    other_provider: kindOfRow(recipient.isOtherSandbox),
    is_done: recipient.attempts === null,
  }));
  return {
    id: encodeId('em', row.id),
    status: EMAIL_STAGES[row.status] ?? 'queued',
    created_at: timeOf(row.id).toISOString(),
    scheduled_at: row.scheduledAt?.toISOString() ?? null,
    can_retry: recipients.some(({ can_retry: canRetry }) => canRetry),
    sending_stopped: row.sendingStopped,
    from: row.sender,
    to: row.toList,
    cc: row.cc,
    bcc: row.bcc,
    reply_to: row.replyTo,
    subject: row.subject,
    tags: row.tags,
    stream: row.stream,
    domain_id: row.domainId === null ? null : encodeId('dom', row.domainId),
    message_id:
      row.messageId ?? messageIdOf(row.id, row.senderAddress.slice(row.senderAddress.lastIndexOf('@') + 1)),
    files: seesBodies ? (row.layout?.files ?? []).map(fileOf) : [],
    removed_fields: [...(row.layout?.removed ?? [])],
    content: row.bodiesDeletedAt !== null ? 'deleted' : seesBodies ? 'kept' : 'hidden',
    bodies_deleted_at: row.bodiesDeletedAt?.toISOString() ?? null,
    tracking: {
      opens: tracking?.opens ?? false,
      clicks: tracking?.clicks ?? false,
      unsubscribe: tracking?.unsubscribe ?? false,
    },
    is_done: recipients.every(({ is_done: isDone }) => isDone),
    recipients,
    events: row.events.map(({ id, type, recipient, detail }) => ({
      event: withoutTarget(
        storedEvent({
          id: encodeId('evt', id),
          type,
          created_at: timeOf(id).toISOString(),
          recipient,
          detail,
        }),
        seesBodies,
      ),
      deliveries: (byEvent.get(id) ?? []).map((delivery) => ({
        id: encodeId('dlv', delivery.id),
        webhook_id: encodeId('wh', delivery.webhookId),
        url: delivery.url,
        type: delivery.type,
        status: delivery.status,
        attempts: delivery.attempts,
        max_attempts: delivery.maxAttempts,
        http_status: delivery.httpStatus,
        error: delivery.error,
        last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
        next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
      })),
    })),
    events_left_out: Math.max(0, row.eventCount - row.events.length),
  };
}

function fileOf(file: FileRange, at: number): InspectedEmail['files'][number] {
  const { name, warning } = shownName(file, at);
  return { name, type: file.type, octets: file.octets, warning };
}

function suppressionOf(row: ListedAddress | null): Suppression | null {
  if (row === null) return null;
  const { createdAt, expiresAt } = row;
  return shown({
    ...row,
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  });
}

/** The last outcome of each recipient, by address. Erased recipients share an address, so nothing is known of them. */
function outcomesOf(events: readonly EventRow[]): ReadonlyMap<string | null, EventRow> {
  const outcomes = events.filter(
    ({ type, recipient }) => recipient !== ERASED && (OUTCOMES as readonly string[]).includes(type),
  );
  return new Map(outcomes.map((event) => [event.recipient, event]));
}

/** What the last outcome says about the attempt. */
function attemptOf(
  outcome: EventRow | undefined,
  isWaiting: boolean,
): Pick<InspectedEmail['recipients'][number], 'deferral' | 'was_relayed'> {
  const { type, detail } = outcome ?? {};
  return {
    deferral: isWaiting && type === 'deferred' ? deferralOf(detail as EventDetail<'deferred'>) : null,
    was_relayed: wasRelayed(detail ?? null),
  };
}

type ShownEvent = InspectedEmail['events'][number]['event'];

function withoutTarget(event: ShownEvent, seesBodies: boolean): ShownEvent {
  return event.type === 'clicked' && !seesBodies
    ? { ...event, detail: { ...event.detail, url: null } }
    : event;
}

/** The field in which each address occurs. If an address occurs several times, the first field counts. */
function fieldsOf({ toList, cc, bcc }: EmailRow): Map<string, 'to' | 'cc' | 'bcc'> {
  const fields = new Map<string, 'to' | 'cc' | 'bcc'>();
  for (const [field, list] of [
    ['to', toList],
    ['cc', cc],
    ['bcc', bcc],
  ] as const)
    for (const text of list) {
      const mailbox = parseMailbox(text);
      const address = 'error' in mailbox ? text : mailbox.address;
      if (!fields.has(address)) fields.set(address, field);
    }
  return fields;
}

function iso(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/**
 * Reads the deliveries of events. There is no index by event. But a delivery's ID begins with the time and the counter from the event's ID
 * (`recording-deliveries.ts`), so the deliveries are found by primary key.
 */
async function readDeliveries(
  database: Database,
  projectId: string,
  eventIds: readonly string[],
): Promise<EventDelivery[]> {
  const isOfEvent = sql`
    d.project_id = ${projectId} and d.event_id = v.id
    and d.id >= (left(v.id::text, 18) || '-0000-000000000000')::uuid
    and d.id <= (left(v.id::text, 18) || '-ffff-ffffffffffff')::uuid`;
  const { rows } = await EVENT_DELIVERY.sql`
    select d.id, d.webhook_id, w.url, d.event_id, d.type, d.status, d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
      d.next_attempt_at
    from unnest(${uuidArray(eventIds)}::uuid[]) as v (id)
    cross join lateral (
      select d.id, d.webhook_id, d.event_id, d.type, d.status, d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
        null::timestamptz as next_attempt_at
      from (select id from webhooks where project_id = ${projectId}) w
      cross join lateral (select d.* from deliveries d where d.webhook_id = w.id and ${isOfEvent} offset 0) d
      union all
      select d.id, d.webhook_id, d.event_id, d.type, 'pending', d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
        d.next_attempt_at
      from due_deliveries d where ${isOfEvent}
      offset 0
    ) d
    join webhooks w on w.project_id = ${projectId} and w.id = d.webhook_id
    order by d.id
    limit ${sql.lit(MAX_DELIVERIES)}`.execute(database);
  return rows;
}
