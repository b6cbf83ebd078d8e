/**
 * The kind of provider for this installation's mail: the sandbox, which delivers nothing, or a real provider. The kind is a row in
 * `settings`, and it is copied to each queued recipient when an email is accepted (`is_sandbox`). A lease has the kind of its worker's
 * provider, and mail for the other kind is not claimed under the lease. So a worker that falls back to the sandbox because an environment
 * variable was lost never reports real mail as delivered, and mail from a trial is never sent (docs/operate/provider.md).
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Logger } from 'pino';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { BEFORE_ALL, HAS_KEY, ROW_KEY, type RowKey } from './fragments.ts';
import { TIMINGS } from './timings.ts';
import { setUsualStatus, USUAL_STATUS_SETTING } from './usual-status.ts';

export const PROVIDER_KINDS = ['sandbox', 'real'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** The provider in the environment of a process. */
export interface NamedProvider {
  /** Null in production without `POSTHORN_PROVIDER`. */
  provider: string | null;
  /** Whether `POSTHORN_PROVIDER` is set. */
  isProviderNamed: boolean;
}

const SETTING = 'provider_kind';
/** The setting with the time since which no process has been able to send. */
export const NOT_SENDING_SINCE = 'provider_away_since';
/** The setting with the time at which sending resumed. */
const RESUMED_AT = 'provider_back_at';
/** The names of the settings that `ProviderWatch` reads. */
export const PROVIDER_SETTINGS: readonly string[] = [
  SETTING,
  NOT_SENDING_SINCE,
  RESUMED_AT,
  USUAL_STATUS_SETTING,
];
/** The value for development without `POSTHORN_PROVIDER`. The first start that names a provider replaces this value. */
const BY_DEFAULT = 'sandbox by default';

/**
 * SQL value for statements that insert recipients into the queue: whether the recipients belong to the sandbox. Null: no start has set the
 * kind, and any provider may deliver the recipients. The statement itself reads the setting, so that no process uses a stale kind.
 */
export const IS_SANDBOX = sql<
  boolean | null
>`(select split_part(value, ' ', 1) = 'sandbox' from settings where name = ${sql.lit(SETTING)})`;

/** Condition: the queue row `r` must not be delivered under the lease (a CTE). A row or lease without a kind matches both kinds. */
export function isOfOtherKind(lease: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce(r.is_sandbox <> ${lease}.is_sandbox, false)`;
}

/** Condition on a queue row: a worker of the other kind set the row aside. */
export const IS_SET_ASIDE = sql<boolean>`(next_attempt_at = 'infinity' and destination is null)`;

function kindOf(provider: string): ProviderKind {
  return provider === 'sandbox' ? 'sandbox' : 'real';
}

/** @param isSandbox `is_sandbox` of the row; null: the row has no kind */
export function kindOfRow(isSandbox: boolean | null): ProviderKind | null {
  if (isSandbox === null) return null;
  return isSandbox ? 'sandbox' : 'real';
}

/** The kind of the installation. Null: no start has set the kind. */
export async function readProviderKind(
  database: Database | DatabaseTransaction,
): Promise<ProviderKind | null> {
  return kindIn(await readSettings(database));
}

/** The time since which no process has been able to send. Null: some process can send, or no process has checked yet. */
export async function readNotSendingSince(database: Database): Promise<Date | null> {
  const since = (await readSettings(database)).get(NOT_SENDING_SINCE);
  return since === undefined ? null : new Date(since);
}

/**
 * The start of the retry period for mail that was accepted earlier. `isStopped`: the retry period does not run, because no process can
 * send.
 */
export interface InstallationClock {
  fromMs: number;
  isStopped: boolean;
}

/** Reads the start of the retry period by the same rules as the workers (`ProviderWatch`). */
export async function readInstallationClock(database: Database): Promise<InstallationClock> {
  const settings = await readSettings(database);
  const stoppedSince = settings.get(NOT_SENDING_SINCE);
  const resumedAt = settings.get(RESUMED_AT);
  return {
    fromMs: resumedAt === undefined ? 0 : Date.parse(resumedAt),
    isStopped: stoppedSince !== undefined && isLong(stoppedSince),
  };
}

/** @param stoppedSince the time since which no process can send */
function isLong(stoppedSince: string): boolean {
  return clock.nowMs() - Date.parse(stoppedSince) > LONG_STOP_MS;
}

async function readSettings(database: Database | DatabaseTransaction): Promise<ReadonlyMap<string, string>> {
  const rows = await database
    .selectFrom('settings')
    .select(['name', 'value'])
    .where('name', 'in', PROVIDER_SETTINGS)
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function kindIn(settings: ReadonlyMap<string, string>): ProviderKind | null {
  const value = settings.get(SETTING);
  if (value === undefined) return null;
  return value === 'real' ? 'real' : 'sandbox';
}

/**
 * Sets the kind at the first start that names a provider. Later starts do not change the kind.
 * @param isWorker whether a worker is starting. Only a worker falls back to the sandbox: hosts without a worker need no provider
 */
export async function recordProviderKind(
  database: Database,
  { provider, isProviderNamed }: NamedProvider,
  isWorker = true,
): Promise<void> {
  if (provider === null || (!isProviderNamed && !isWorker)) return;
  const value = isProviderNamed ? kindOf(provider) : BY_DEFAULT;
  await sql`
    insert into settings as s (name, value) values (${SETTING}, ${value})
    on conflict (name) do update set value = excluded.value where s.value = ${BY_DEFAULT}`.execute(database);
}

/**
 * Changes the kind. Pending mail keeps the kind under which it was accepted, and its retry period starts again now.
 * @returns false if the installation had that kind already
 */
export async function changeProviderKind(tx: DatabaseTransaction, kind: ProviderKind): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into settings as s (name, value) values (${SETTING}, ${kind})
    on conflict (name) do update set value = excluded.value where s.value <> excluded.value`.execute(tx);
  if (numAffectedRows > 0n) await recordResumedSending(tx);
  return numAffectedRows > 0n;
}

/**
 * The shortest interruption that restarts the retry period. Without this limit, restarting the only worker that can send would restart the
 * three-day retry period, although the interruption lasts only seconds.
 */
const LONG_STOP_MS = 60 * 60_000;

/** Restarts the retry period of all pending mail. */
async function recordResumedSending(database: Database | DatabaseTransaction): Promise<string> {
  const resumedAt = clock.now().toISOString();
  await sql`
    with stopped as (delete from settings where name = ${NOT_SENDING_SINCE})
    insert into settings as s (name, value) values (${RESUMED_AT}, ${resumedAt})
    on conflict (name) do update set value = excluded.value`.execute(database);
  return resumedAt;
}

/** Records when sending stopped, unless another process has a provider of the right kind, or sending is paused. */
async function sendingStops(database: Database, kind: ProviderKind | null): Promise<void> {
  const isSandbox = kind === null ? null : kind === 'sandbox';
  await sql`
    insert into settings (name, value) select ${NOT_SENDING_SINCE}, ${clock.now().toISOString()}
    where not exists (select from settings where name = 'sending_paused') and not exists (
      select from leases where holds = 'recipients' and coalesce(is_sandbox = ${isSandbox}, true)
        and heartbeat_at >= now() - ${TIMINGS.leaseMs} * interval '1 millisecond'
    )
    on conflict (name) do nothing`.execute(database);
}

/** The number of rows that one statement makes due again. */
const REJOINED_ROWS = 1_000;

/**
 * Makes due again the rows that were set aside while the installation had another kind.
 * @returns the number of rows, at most 1,000
 */
export async function rejoinSetAside(database: Database, kind: ProviderKind): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with waiting as (
      select project_id, email_id, recipient_index from queue
      where ${IS_SET_ASIDE} and is_sandbox = ${kind === 'sandbox'}
      limit ${sql.lit(REJOINED_ROWS)} for no key update skip locked
    )
    update queue r set next_attempt_at = now() from waiting k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows);
}

/** Counts the recipients in the queue that were accepted under a kind. Scans the whole queue. */
export async function countOfKind(
  database: Database | DatabaseTransaction,
  kind: ProviderKind,
): Promise<number> {
  const { rows } = await columnsOf({ count: 'float8' }).sql`
    select count(*)::float8 as count from queue where is_sandbox = ${kind === 'sandbox'}`.execute(database);
  return rows[0]?.count ?? 0;
}

/** The key of the last row in a batch, and the size of the batch. */
const RELEASED = columnsOf({ ...ROW_KEY.kinds, released: 'int4' });
type Released = RowOf<typeof RELEASED>;

/** The number of recipients released per transaction. */
const RELEASED_ROWS = 1_000;

/**
 * Turns recipients that were accepted under the sandbox into real mail. Their retry period starts now.
 * @param after the last row of the previous batch; null: start at the beginning
 * @returns null if no rows are left, except rows that a worker has claimed
 */
export async function releaseFromSandbox(
  tx: DatabaseTransaction,
  after: RowKey | null,
): Promise<Released | null> {
  const { projectId, emailId, recipientIndex } = after ?? BEFORE_ALL;
  const { rows } = await RELEASED.sql`
    with waiting as (
      select project_id, email_id, recipient_index from queue
      where is_sandbox and lease_id is null
        and (project_id, email_id, recipient_index) > (${projectId}::uuid, ${emailId}::uuid, ${recipientIndex}::int2)
      order by project_id, email_id, recipient_index limit ${sql.lit(RELEASED_ROWS)} for no key update skip locked
    ), released as (
      update queue r set is_sandbox = false, waited_until = now(),
        next_attempt_at = case when r.next_attempt_at = 'infinity' and r.destination is null then now() else r.next_attempt_at end
      from waiting k where ${HAS_KEY}
      returning r.project_id, r.email_id, r.recipient_index
    ), email as (
      update emails e set is_sandbox = false from (select distinct project_id, email_id from released) r
      where e.project_id = r.project_id and e.id = r.email_id
    )
    select project_id, email_id, recipient_index, count(*) over ()::int as released
    from released order by project_id desc, email_id desc, recipient_index desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

/** The reason, in full sentences, why a process with this environment must not send. Null if the process may send. */
export function whyNotSending(
  { provider, isProviderNamed }: NamedProvider,
  kind: ProviderKind | null,
): string | null {
  if (provider === null)
    return 'POSTHORN_PROVIDER is not set, so no mail is sent. Set it to direct, smtp, ses or sandbox.';
  if (kind === null || kind === kindOf(provider)) return null;
  const named = isProviderNamed
    ? `POSTHORN_PROVIDER is ${provider}`
    : 'POSTHORN_PROVIDER is not set, which means sandbox';
  return kind === 'real'
    ? `${named}, but this installation sends real mail, so this process sends nothing. Set POSTHORN_PROVIDER to direct, smtp or ses.`
    : `${named}, but this installation is a sandbox, so this process sends nothing. To send real mail from now on, run posthorn queue provider --set real.`;
}

/** How often a process sets the usual status. Otherwise workers with different providers would replace each other's value at every poll. */
const USUAL_STATUS_MS = 60_000;

/** Caches whether this process may send, as of the last check. */
export class ProviderWatch {
  readonly #database: Database;
  readonly #named: NamedProvider;
  readonly #logger: Pick<Logger, 'info' | 'error'>;
  /** Undefined before the first check. */
  #reason: string | null | undefined;
  #sendingResumedMs = 0;
  #nextUsualStatusMs = 0;

  constructor(database: Database, named: NamedProvider, logger: Pick<Logger, 'info' | 'error'>) {
    this.#database = database;
    this.#named = named;
    this.#logger = logger;
  }

  /** False until the first check. */
  get maySend(): boolean {
    return this.#reason === null;
  }

  /** The reason, in full sentences, why this process sends nothing. Null if the process may send or has not checked yet. */
  get reason(): string | null {
    return this.#reason ?? null;
  }

  /** The kind of this process's provider. Null if the process has no provider. */
  get kind(): ProviderKind | null {
    const { provider } = this.#named;
    return provider === null ? null : kindOf(provider);
  }

  /**
   * The time at which sending last resumed after a period in which no process could send, in milliseconds since 1970; 0 if sending was
   * never interrupted. Retry periods start no earlier than this time.
   */
  get sendingResumedMs(): number {
    return this.#sendingResumedMs;
  }

  /** Checks the installation's kind. @throws database errors; the last known state then stays valid */
  async poll(): Promise<void> {
    await this.learn(await readSettings(this.#database));
  }

  /**
   * Like `poll`, from settings that were just read. Logs each change once.
   * @param settings the values of `PROVIDER_SETTINGS`, by name
   */
  async learn(settings: ReadonlyMap<string, string>): Promise<void> {
    const kind = kindIn(settings);
    const reason = whyNotSending(this.#named, kind);
    if (reason !== null && !settings.has(NOT_SENDING_SINCE)) await sendingStops(this.#database, kind);
    const stoppedSince = settings.get(NOT_SENDING_SINCE);
    let resumedAt = settings.get(RESUMED_AT);
    if (reason === null && stoppedSince !== undefined) {
      if (isLong(stoppedSince)) resumedAt = await recordResumedSending(this.#database);
      else await this.#database.deleteFrom('settings').where('name', '=', NOT_SENDING_SINCE).execute();
    }
    this.#sendingResumedMs = resumedAt === undefined ? 0 : Date.parse(resumedAt);
    const known = this.#reason;
    this.#reason = reason;
    if (reason !== (known ?? null)) {
      if (reason === null) this.#logger.info({}, LOG_MESSAGES.providerAgrees);
      else this.#logger.error({ reason }, LOG_MESSAGES.providerDisagrees);
    }
    // Last, so that the state above is up to date even if this fails.
    if (reason === null) await this.#setUsualStatus(settings.get(USUAL_STATUS_SETTING));
  }

  async #setUsualStatus(known: string | undefined): Promise<void> {
    const { provider } = this.#named;
    if (provider === null || performance.now() < this.#nextUsualStatusMs) return;
    this.#nextUsualStatusMs = performance.now() + USUAL_STATUS_MS;
    await setUsualStatus(this.#database, provider, known);
  }
}
