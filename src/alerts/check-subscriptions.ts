/** Compares the problems of one project, or of the installation, with those that its subscribers know, and stores the messages to send. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { HOUR_MS } from '../model/day.ts';
import { firstUuidAt } from '../model/ids.ts';
import type { AlertProblem } from './channel.ts';
import { IS_ENTITLED } from './entitled.ts';
import { type Findings, OF_HOST } from './findings.ts';
import { insertMessage, messagesAbout } from './messages.ts';
import { type KnownProblem, nextProblems } from './next-problems.ts';
import { isQuietFor } from './quiet-hours.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of messages of a subscription in an hour. Later problems are reported together when the hour has passed. */
const MAX_MESSAGES_AN_HOUR = 20;

/** The subscriptions of a user: to a project, or to the installation (null). */
export interface Subscriber {
  userId: string;
  projectId: string | null;
}

const SUBSCRIPTION = columnsOf({
  id: 'uuid',
  kinds: 'text[]',
  quietFrom: 'int2?',
  quietUntil: 'int2?',
  timeZone: 'text',
  urgentAlways: 'bool',
});
const MESSAGES = columnsOf({ messages: 'int4' });
const KNOWN = columnsOf({
  key: 'text',
  level: 'int4',
  isSnoozed: 'bool',
  problem: shaped<AlertProblem>('json'),
  openedAt: 'timestamptz?',
  reportedLevel: 'int4?',
  resolvedAt: 'timestamptz?',
});

/** Stores the messages for each subscription of a user. One transaction records the new state of the problems and the messages. */
export async function checkSubscriptions(
  database: Database,
  { userId, projectId }: Subscriber,
  findings: Findings,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    // Locked, because the user may change or remove the subscriptions at the same time.
    const { rows } = await SUBSCRIPTION.sql`
      select id, kinds, quiet_from, quiet_until, time_zone, urgent_always
      from alert_subscriptions
      where user_id = ${userId} and project_id is not distinct from ${projectId}::uuid and enabled
      order by id for no key update`.execute(tx);
    for (const subscription of rows) await checkSubscription(tx, subscription, findings);
  });
}

async function checkSubscription(
  tx: DatabaseTransaction,
  { id, kinds, urgentAlways, ...hours }: RowOf<typeof SUBSCRIPTION>,
  { found, isGone }: Findings,
): Promise<void> {
  const now = clock.now();
  const isWanted = ({ kind }: AlertProblem) => kinds.length === 0 || kinds.includes(kind);
  const isFull = (await countMessages(tx, id)) >= MAX_MESSAGES_AN_HOUR;
  const quiet = isQuietFor(hours, now);
  const { rows } = await KNOWN.sql`
    select key, level, is_snoozed, problem, opened_at, reported_level, resolved_at
    from alert_problems where subscription_id = ${id}`.execute(tx);
  const { saved, removed, reports } = nextProblems({
    known: rows,
    found: found.filter(({ problem }) => isWanted(problem)),
    now,
    isGone,
    mayReport: ({ severity }) => !isFull && (!quiet || (urgentAlways && severity === 1)),
  });
  for (const problem of saved) await saveProblem(tx, id, problem);
  if (removed.length > 0)
    await tx
      .deleteFrom('alertProblems')
      .where('subscriptionId', '=', id)
      .where('key', 'in', removed)
      .execute();
  for (const content of messagesAbout(reports)) await insertMessage(tx, id, content);
}

async function countMessages(tx: DatabaseTransaction, subscriptionId: string): Promise<number> {
  const { rows } = await MESSAGES.sql`
    select count(*)::int as messages from alert_messages
    where subscription_id = ${subscriptionId} and id > ${firstUuidAt(new Date(clock.nowMs() - HOUR_MS))}`.execute(
    tx,
  );
  return rows[0]?.messages ?? 0;
}

async function saveProblem(
  tx: DatabaseTransaction,
  subscriptionId: string,
  { problem, key, ...state }: KnownProblem,
): Promise<void> {
  const values = { ...state, problem: JSON.stringify(problem) };
  await tx
    .insertInto('alertProblems')
    .values({ subscriptionId, key, ...values })
    .onConflict((conflict) => conflict.columns(['subscriptionId', 'key']).doUpdateSet(values))
    .execute();
}

/**
 * Deletes the subscriptions of users who may no longer see the problems, messages that are no longer needed, and the problems of machines
 * that have not checked themselves for a day. Such a machine is gone, as a container is after an update, and cannot resolve its problems.
 */
export async function deleteEnded(database: Database): Promise<void> {
  await sql`delete from alert_subscriptions s where not ${IS_ENTITLED}`.execute(database);
  const keep = (ms: number) => firstUuidAt(new Date(clock.nowMs() - ms));
  await sql`
    delete from alert_messages where id < ${keep(TIMINGS.keepMs)} or (sent_at is not null and id < ${keep(HOUR_MS)})`.execute(
    database,
  );
  await sql`
    with gone as (
      delete from alert_checks where scope like 'host %' and checked_at < now() - interval '1 day' returning scope
    )
    delete from alert_problems p using gone
    where split_part(p.key, ' ', 1) = any (${[...OF_HOST]}) and split_part(p.key, ' ', 2) = substr(gone.scope, 6)`.execute(
    database,
  );
}
