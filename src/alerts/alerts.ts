/** The alerts of a user: the subscriptions to the problems of a project, or of the installation. */
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { type AuditFields, recordChange, recordDifferences } from '../accounts/audit.ts';
import type {
  Alert,
  AlertList,
  AlertTest,
  CreateAlert,
  CreatedAlert,
  UpdateAlert,
} from '../contract/dashboard/alerts.ts';
import { hasProvedAddress } from '../accounts/verification.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import type { Tables } from '../db/tables.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { type Environment, urlProblem } from '../webhooks/check-url.ts';
import { newSecret } from '../webhooks/secret.ts';
import type { AlertChannels } from './channel.ts';
import type { Subscriber } from './check-subscriptions.ts';
import { scopeOf, TARGET, TARGET_COLUMNS, targetOf } from './claim-messages.ts';
import { nextDigestAt } from './digest/next-digest.ts';
import { NOT_VERIFIED } from './email/email-channel.ts';
import { IS_ENTITLED } from './entitled.ts';
import { clockTimeOf, isTimeZone, minutesOf } from './quiet-hours.ts';
import { sealTarget } from './sealed.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of alerts of a user for a project, or for the installation. */
const MAX_ALERTS = 10;

type Row = Selectable<Tables['alertSubscriptions']>;
type Settings = Pick<CreateAlert, 'kinds' | 'quiet_hours' | 'time_zone' | 'urgent_always' | 'digest'>;

export interface AlertsOptions {
  database: Database;
  sealer: Sealer;
  environment: Environment;
  channels: AlertChannels;
  baseUrl(): string;
}

export class Alerts {
  readonly #options: AlertsOptions;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  async list(subscriber: Subscriber): Promise<AlertList> {
    const rows = await this.#options.database
      .selectFrom('alertSubscriptions')
      .selectAll()
      .where((row) => isOf(row, subscriber))
      .orderBy('id')
      .execute();
    return { data: rows.map(alertOf) };
  }

  /** @throws AppError validation-failed; bad-request if the user has too many */
  async create(subscriber: Subscriber, { channel, url, ...settings }: CreateAlert): Promise<CreatedAlert> {
    const { database, sealer, environment } = this.#options;
    const problem = channel === 'email' ? problemOfNoUrl(url) : urlProblem(url ?? '', environment);
    if (problem !== null) throw validationError({ url: problem });
    const columns = columnsOfSettings(settings);
    const id = newUuid();
    const secret = channel === 'webhook' ? newSecret() : null;
    const row = await database.transaction().execute(async (tx) => {
      await assertMayAdd(tx, subscriber);
      if (channel === 'email') await assertProvedAddress(tx, subscriber);
      await record(tx, 'create', subscriber, id, { after: auditOf({ channel, ...columns, enabled: true }) });
      return tx
        .insertInto('alertSubscriptions')
        .values({
          id,
          ...subscriber,
          channel,
          host: url === undefined ? null : new URL(url).host,
          ...sealTarget(sealer, id, { url: url ?? null, secret }),
          ...columns,
          digestAt: digestAfter(columns),
          enabled: true,
          createdAt: timeOf(id),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return { ...alertOf(row), secret };
  }

  /** @returns null if the user has no such alert @throws AppError validation-failed */
  async update(
    subscriber: Subscriber,
    id: string,
    { enabled, ...settings }: UpdateAlert,
  ): Promise<Alert | null> {
    const columns = columnsOfSettings(settings);
    return this.#options.database.transaction().execute(async (tx) => {
      const before = await tx
        .selectFrom('alertSubscriptions')
        .selectAll()
        .where((row) => isOf(row, subscriber, id))
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (before === undefined) return null;
      const switched =
        enabled === before.enabled
          ? {}
          : { enabled, disabledReason: null, failingSince: null, lastError: null };
      const after = await tx
        .updateTable('alertSubscriptions')
        .set({ ...columns, ...switched, digestAt: nextDigest(before, { ...columns, enabled }) })
        .where((row) => isOf(row, subscriber, id))
        .returningAll()
        .executeTakeFirstOrThrow();
      // Problems of kinds that were removed are not resolved, so they must not be reported as resolved.
      if (after.kinds.length > 0)
        await sql`
          delete from alert_problems
          where subscription_id = ${after.id} and not problem ->> 'kind' = any (${after.kinds})`.execute(tx);
      await recordDifferences(tx, changeOf('update', subscriber, id), auditOf(before), auditOf(after));
      return alertOf(after);
    });
  }

  /** @returns false if the user has no such alert */
  async remove(subscriber: Subscriber, id: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      const row = await tx
        .deleteFrom('alertSubscriptions')
        .where((row) => isOf(row, subscriber, id))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await record(tx, 'delete', subscriber, id, { before: auditOf(row) });
      return true;
    });
  }

  /** Sends a test message at once, even if the alert is disabled. @returns null if the user has no such alert @throws AppError rate-limited */
  async test(subscriber: Subscriber, id: string): Promise<AlertTest | null> {
    const { database, sealer, channels, baseUrl } = this.#options;
    const { userId, projectId } = subscriber;
    const isTested = sql`s.id = ${id} and s.user_id = ${userId} and s.project_id is not distinct from ${projectId}::uuid and ${IS_ENTITLED}`;
    const { rows } = await TARGET.sql`
      update alert_subscriptions s set last_test_at = now() from users u
      where u.id = s.user_id and ${isTested}
        and (s.last_test_at is null or s.last_test_at < now() - ${TIMINGS.testMs} * interval '1 millisecond')
      returning ${TARGET_COLUMNS}`.execute(database);
    const [row] = rows;
    if (row === undefined) {
      const { data } = await this.list(subscriber);
      if (!data.some((alert) => alert.id === encodeId('alr', id))) return null;
      throw new AppError('rate-limited', 'A test was sent a moment ago. Try again in a few seconds.', {
        retryAfterSeconds: TIMINGS.testMs / 1_000,
      });
    }
    const result = await channels[row.channel]?.send(
      {
        id: newUuid(),
        createdAt: clock.now(),
        ...scopeOf(row, baseUrl()),
        content: { type: 'alert.test' },
      },
      targetOf(sealer, row),
    );
    if (result === undefined)
      return {
        is_delivered: false,
        http_status: null,
        error: 'This installation does not offer the channel.',
      };
    const { isDelivered, httpStatus } = result;
    return {
      is_delivered: isDelivered,
      http_status: httpStatus,
      error: isDelivered ? null : result.error,
    };
  }
}

/** When the first digest is due. */
function digestAfter({ digest, timeZone }: Pick<Row, 'digest' | 'timeZone'>): Date | null {
  return digest ? nextDigestAt(clock.nowMs(), timeZone) : null;
}

/** When the next digest is due after a change. A digest that was missed while the alert was switched off is not sent. */
function nextDigest(before: Row, after: Pick<Row, 'digest' | 'timeZone' | 'enabled'>): Date | null {
  const isSame =
    before.digest === after.digest && before.timeZone === after.timeZone && before.enabled === after.enabled;
  return isSame ? before.digestAt : digestAfter(after);
}

function problemOfNoUrl(url: string | undefined): string | null {
  return url === undefined ? null : 'must be left out: email is sent to your own address';
}

/** @throws AppError validation-failed */
async function assertProvedAddress(tx: DatabaseTransaction, { userId }: Subscriber): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(hasProvedAddress(sql`users`))
    .executeTakeFirst();
  if (user === undefined) throw validationError({ channel: NOT_VERIFIED });
}

/** The alerts of a user, or one of them. */
function isOf(
  row: ExpressionBuilder<Tables, 'alertSubscriptions'>,
  { userId, projectId }: Subscriber,
  id?: string,
) {
  return row.and([
    row('userId', '=', userId),
    row('projectId', 'is not distinct from', projectId),
    ...(id === undefined ? [] : [row('id', '=', id)]),
  ]);
}

/** @throws AppError bad-request */
async function assertMayAdd(tx: DatabaseTransaction, subscriber: Subscriber): Promise<void> {
  // Locked, so that concurrent requests of the user are counted one after the other.
  await tx.selectFrom('users').select('id').where('id', '=', subscriber.userId).forNoKeyUpdate().execute();
  const { count } = await tx
    .selectFrom('alertSubscriptions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where((row) => isOf(row, subscriber))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_ALERTS)
    throw new AppError('bad-request', `You already have ${MAX_ALERTS} alerts here. Remove one first.`);
}

type SettingColumns = Pick<
  Row,
  'kinds' | 'quietFrom' | 'quietUntil' | 'timeZone' | 'urgentAlways' | 'digest'
>;

/** @throws AppError validation-failed */
function columnsOfSettings({
  kinds,
  quiet_hours,
  time_zone,
  urgent_always,
  digest = false,
}: Settings): SettingColumns {
  if (!isTimeZone(time_zone))
    throw validationError({ time_zone: 'must be a time zone, such as Europe/Berlin' });
  if (quiet_hours !== null && quiet_hours.from === quiet_hours.until)
    throw validationError({ quiet_hours: 'must begin and end at different times' });
  return {
    kinds,
    quietFrom: quiet_hours === null ? null : minutesOf(quiet_hours.from),
    quietUntil: quiet_hours === null ? null : minutesOf(quiet_hours.until),
    timeZone: time_zone,
    urgentAlways: urgent_always,
    digest,
  };
}

function alertOf(row: Row): Alert {
  return {
    id: encodeId('alr', row.id),
    channel: row.channel,
    host: row.host,
    kinds: row.kinds,
    quiet_hours: quietHoursOf(row),
    time_zone: row.timeZone,
    urgent_always: row.urgentAlways,
    digest: row.digest,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    last_error: row.lastError,
    last_sent_at: row.lastSentAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

function quietHoursOf({
  quietFrom,
  quietUntil,
}: Pick<Row, 'quietFrom' | 'quietUntil'>): Alert['quiet_hours'] {
  return quietFrom === null || quietUntil === null
    ? null
    : { from: clockTimeOf(quietFrom), until: clockTimeOf(quietUntil) };
}

/** The settings for the audit log. The host is left out together with the URL, because others in the organization read the log. */
function auditOf({
  channel,
  enabled,
  ...settings
}: SettingColumns & Pick<Row, 'channel' | 'enabled'>): AuditFields {
  const quiet = quietHoursOf(settings);
  return {
    channel,
    kinds: settings.kinds,
    quiet_hours: quiet === null ? null : `${quiet.from}-${quiet.until}`,
    time_zone: settings.timeZone,
    urgent_always: settings.urgentAlways,
    digest: settings.digest,
    enabled,
  };
}

function changeOf(verb: 'create' | 'update' | 'delete', { projectId }: Subscriber, id: string) {
  return {
    of: projectId === null ? ('installation' as const) : { projectId },
    action: `alert.${verb}` as const,
    target: encodeId('alr', id),
  };
}

function record(
  tx: DatabaseTransaction,
  verb: 'create' | 'delete',
  subscriber: Subscriber,
  id: string,
  fields: { before?: AuditFields; after?: AuditFields },
): Promise<void> {
  return recordChange(tx, { ...changeOf(verb, subscriber, id), ...fields });
}
