/** Lists the recipients that the numbers of the queue count. Operators see neither addresses nor contents, which belong to the projects. */
import { type RawBuilder, sql } from 'kysely';
import type {
  QueuedRecipientPage,
  QueuedRecipientsQuery,
} from '../../contract/dashboard/queued-recipients.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { cursorOf } from '../../model/cursor.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import type { QueueStream } from '../../model/streams.ts';
import { DOMAIN, IS_DEFERRED, MAX_SCANNED } from '../../queue/deferred.ts';
import { IS_LATER } from '../../queue/fragments.ts';
import { IS_SANDBOX, IS_SET_ASIDE } from '../../queue/provider-kind.ts';

const PAGE = 50;

/** The last row that was read, by the primary key of the queue. */
const READ_UNTIL = cursorOf('queued recipients', {
  projectId: 'uuid',
  emailId: 'uuid',
  recipientIndex: 'int',
});

const KEY = { projectId: 'uuid', emailId: 'uuid', recipientIndex: 'int2' } as const;
const ROW = columnsOf({
  ...KEY,
  stream: shaped<QueueStream>('text'),
  domain: 'text',
  attempts: 'int2',
  state: shaped<QueuedRecipientPage['data'][number]['state']>('text'),
  nextAttemptAt: 'timestamptz?',
});
const LAST = columnsOf(KEY);

const STATE = sql`
  case when in_flight then 'in-flight' when ${IS_SET_ASIDE} then 'set-aside' when next_attempt_at = 'infinity' then 'parked'
    when ${IS_DEFERRED} then 'deferred' else 'due' end`;

const CONDITIONS: Readonly<Record<NonNullable<QueuedRecipientsQuery['state']>, RawBuilder<unknown>>> = {
  'in-flight': sql`in_flight and not ${IS_SET_ASIDE}`,
  deferred: sql`${IS_DEFERRED} and not ${IS_SET_ASIDE}`,
  'other-kind': sql`is_sandbox <> ${IS_SANDBOX}`,
};

/**
 * A page of the recipients that wait, by project and then oldest first. A page reads a limited number of rows, so with a filter it can be
 * short although a next page follows.
 * @throws AppError validation-failed for an invalid cursor
 */
export async function listQueuedRecipients(
  database: Database,
  { domain, state, cursor, limit = PAGE }: QueuedRecipientsQuery,
  maxScanned = MAX_SCANNED,
): Promise<QueuedRecipientPage> {
  const after = cursor === undefined ? null : READ_UNTIL.decode(cursor);
  const isAfter =
    after === null
      ? sql`true`
      : sql`(project_id, email_id, recipient_index)
          > (${after.projectId}::uuid, ${after.emailId}::uuid, ${after.recipientIndex}::int)`;
  const scanned = sql`
    from queue where ${isAfter} and not ${IS_LATER} order by project_id, email_id, recipient_index`;
  // A destination is counted without the mail that waits for another kind of provider.
  const ofDomain =
    domain === undefined ? sql`true` : sql`(domain = ${domain.toLowerCase()} and not ${IS_SET_ASIDE})`;
  const { rows } = await ROW.sql`
    select project_id, email_id, recipient_index, stream, domain, attempts, ${STATE} as state,
      case when next_attempt_at = 'infinity' or lease_id is not null then null else next_attempt_at end as next_attempt_at
    from (select *, ${DOMAIN} as domain ${scanned} limit ${sql.lit(maxScanned)}) q
    where ${ofDomain} and ${state === undefined ? sql`true` : CONDITIONS[state]}
    order by project_id, email_id, recipient_index limit ${limit + 1}`.execute(database);
  const page = rows.slice(0, limit);
  let end = rows.length > limit ? page.at(-1) : undefined;
  if (rows.length <= limit) {
    const { rows: unread } = await LAST.sql`
      select project_id, email_id, recipient_index ${scanned} offset ${sql.lit(maxScanned - 1)} limit 1`.execute(
      database,
    );
    [end] = unread as typeof rows;
  }
  return {
    data: page.map((row) => ({
      id: encodeId(row.stream === 'mailbox' ? 'sub' : 'em', row.emailId),
      project_id: encodeId('prj', row.projectId),
      domain: row.domain,
      state: row.state,
      attempts: row.attempts,
      accepted_at: timeOf(row.emailId).toISOString(),
      next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    })),
    next_cursor: end === undefined ? null : READ_UNTIL.encode(end),
  };
}
