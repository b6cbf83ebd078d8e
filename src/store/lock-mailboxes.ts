import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { FOLDER_ROLES, type FolderRole } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { type LimitedProjects, limitsOf, lockingLimited } from './plan-storage.ts';

export const MAILBOX_KEY = columnsOf({ projectId: 'uuid', mailboxId: 'uuid' });
export type MailboxKey = RowOf<typeof MAILBOX_KEY>;

const LOCKED_MAILBOX = columnsOf({
  ...MAILBOX_KEY.kinds,
  octets: 'float8',
  quotaOctets: 'float8',
  uidValidity: 'float8',
  warnedPercent: 'int2',
  warningDue: 'bool',
  isFull: 'bool',
});
/** The state of a locked mailbox, which no other transaction can change until the current transaction ends. */
export type LockedMailbox = RowOf<typeof LOCKED_MAILBOX>;

/** A map key for a mailbox. The key includes the project, so that an id under another project does not match. */
export function keyOf({ projectId, mailboxId }: MailboxKey): string {
  return `${projectId} ${mailboxId}`;
}

function eachOnce(keys: readonly MailboxKey[]): MailboxKey[] {
  return [...new Map(keys.map((key) => [keyOf(key), key])).values()];
}

const KEYS = rowsOf<MailboxKey>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
});

/**
 * Locks mailboxes in the order of their keys, so that transactions cannot deadlock. Later statements of the transaction see everything that
 * earlier transactions wrote.
 * @returns mailboxes by `keyOf`. Mailboxes that do not exist or were never used (`makeFolders`) are missing
 */
export async function lockMailboxes(
  tx: DatabaseTransaction,
  keys: readonly MailboxKey[],
): Promise<Map<string, LockedMailbox>> {
  const { rows } = await LOCKED_MAILBOX.sql`
    select ${STATE} from ${statesOf(keys)}
    order by s.project_id, s.mailbox_id for no key update of s`.execute(tx);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

const STATE =
  sql.raw(`s.project_id, s.mailbox_id, s.octets::float8 as octets, m.quota_mb * 1048576::float8 as quota_octets,
  s.uid_validity::float8 as uid_validity, s.warned_percent, s.warning_due, s.full_since is not null as is_full`);

function statesOf(keys: readonly MailboxKey[]): RawBuilder<unknown> {
  return sql`${KEYS.from(eachOnce(keys))} join mailbox_states s using (project_id, mailbox_id)
    join mailboxes m on m.project_id = s.project_id and m.id = s.mailbox_id`;
}

const STORING = columnsOf({ ...LOCKED_MAILBOX.kinds, limited: shaped<LimitedProjects | null>('json?') });

/**
 * Like `lockMailboxes`, for transactions that store bytes. First locks the projects of the mailboxes whose plan limits storage. Everything
 * is in one statement, because sending a statement takes longer than executing it.
 * @returns also the storage limits, in bytes, by project; projects without a limit are missing
 */
export async function lockForStoring(
  tx: DatabaseTransaction,
  keys: readonly MailboxKey[],
): Promise<{ mailboxes: Map<string, LockedMailbox>; limits: Map<string, number> }> {
  const limited = lockingLimited(new Set(keys.map(({ projectId }) => projectId)));
  // PostgreSQL evaluates a condition without columns first, and so locks the projects before it finds a mailbox.
  const { rows } = await STORING.sql`
    with ${limited.sql}
    select ${STATE}, (select json_agg(json_build_array(id, plan)) from ${limited.name}) as limited
    from ${statesOf(keys)} where (select count(*) from ${limited.name}) >= 0
    order by s.project_id, s.mailbox_id for no key update of s`.execute(tx);
  return {
    mailboxes: new Map(rows.map((row) => [keyOf(row), row])),
    limits: limitsOf(rows[0]?.limited ?? []),
  };
}

const FOLDERS = rowsOf<MailboxKey & { id: string; role: FolderRole; at: number }>('f', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ role }) => FOLDER_ROLES[role]],
  role: ['text', ({ role }) => role],
  at: ['int4', ({ at }) => at],
});

const ROLES = Object.keys(FOLDER_ROLES) as FolderRole[];

/** Creates the standard folders of mailboxes that do not have them yet. Ignores mailboxes that do not exist. */
export async function makeFolders(database: Database, keys: readonly MailboxKey[]): Promise<void> {
  const mailboxes = eachOnce(keys);
  const folders = mailboxes.flatMap((key) => ROLES.map((role, at) => ({ ...key, id: newUuid(), role, at })));
  // UIDVALIDITY is the time in seconds since 1970, so that no folder reuses the value of an earlier folder.
  const uidValidity = Math.floor(clock.nowMs() / 1_000);
  await sql`
    with made as (
      insert into mailbox_states (project_id, mailbox_id, uid_validity)
      select project_id, mailbox_id, ${uidValidity + ROLES.length}::int8 from ${KEYS.from(mailboxes)}
      where exists (select from mailboxes m where m.project_id = k.project_id and m.id = k.mailbox_id)
      order by project_id, mailbox_id on conflict do nothing
      returning project_id, mailbox_id
    )
    insert into folders (project_id, mailbox_id, id, name, role, uid_validity)
    select project_id, mailbox_id, f.id, f.name, f.role, ${uidValidity}::int8 + f.at
    from ${FOLDERS.from(folders)} join made using (project_id, mailbox_id)`.execute(database);
}
