/** Lets admins see the sign-ins and sessions of a mailbox, and end the sessions (docs/mailboxes.md, Sign-ins and sessions). */
import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { MailboxSignIns } from '../../contract/dashboard/mailboxes.ts';
import { deleteFactors } from '../../accounts/factors/factors.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { TIMINGS as DATABASE_TIMINGS } from '../../db/timings.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailDoor } from '../../model/mail-doors.ts';
import { type MailboxId, MAILBOXES } from './mailbox-realm.ts';
import { listWebSessions } from './web-sessions.ts';

const OPENING = columnsOf({
  door: shaped<MailDoor>('text'),
  address: 'text',
  appPasswordId: 'uuid?',
  appPassword: 'text?',
});
const SESSIONS = columnsOf({ ...OPENING.kinds, connections: 'int4', since: 'timestamptz' });
const SIGN_IN = columnsOf({ ...OPENING.kinds, signedInAt: 'timestamptz' });
const ADDRESS = columnsOf({ address: 'text' });

/** The maximum length of each list. Several connections of one mail app are listed as one session. */
const MAX_SHOWN = 100;

/** @returns null if the project has no such mailbox */
export async function readSignIns(
  database: Database,
  { projectId, mailboxId }: MailboxId,
): Promise<MailboxSignIns | null> {
  const mailbox = await sql`
    select from mailboxes where project_id = ${projectId} and id = ${mailboxId}`.execute(database);
  if (mailbox.rows.length === 0) return null;
  const named = sql`left join app_passwords a on a.project_id = s.project_id and a.mailbox_id = s.mailbox_id and a.id = s.app_password_id
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId}`;
  const sessions = await SESSIONS.sql`
    select s.door, s.address, s.app_password_id, min(a.name) as app_password, count(*)::int as connections, min(s.opened_at) as since
    from mailbox_sessions s
    join processes p on p.id = s.process_id and p.heartbeat_at > now() - ${DATABASE_TIMINGS.expiryMs} * interval '1 millisecond'
    ${named}
    group by s.door, s.address, s.app_password_id order by max(s.opened_at) desc limit ${MAX_SHOWN}`.execute(
    database,
  );
  const browsers = await listWebSessions(database, { projectId, mailboxId });
  const signIns = await SIGN_IN.sql`
    select s.door, s.address, s.app_password_id, a.name as app_password, s.signed_in_at
    from mailbox_sign_ins s ${named} order by s.signed_in_at desc limit ${MAX_SHOWN}`.execute(database);
  return {
    sessions: [
      ...sessions.rows.map(({ connections, since, ...opening }) => ({
        ...shown(opening),
        connections,
        since: since.toISOString(),
      })),
      ...browsers.map(({ address, createdAt }) => ({
        door: 'web' as const,
        address,
        app_password: null,
        connections: 1,
        since: createdAt.toISOString(),
      })),
    ].slice(0, MAX_SHOWN),
    sign_ins: signIns.rows.map(({ signedInAt, ...opening }) => ({
      ...shown(opening),
      signed_in_at: signedInAt.toISOString(),
    })),
  };
}

function shown({ door, address, appPasswordId, appPassword }: RowOf<typeof OPENING>) {
  return { door, address, app_password: appPasswordId === null ? null : (appPassword ?? '') };
}

/** Ends all sessions, over all protocols and on all machines, within two seconds. @returns false if the project has no such mailbox */
export function endMailboxSessions(database: Database, mailbox: MailboxId): Promise<boolean> {
  return change(
    database,
    mailbox,
    'mailbox.end-sessions',
    sql`sessions_version = sessions_version % 2000000000 + 1`,
  );
}

/** Removes the second factor of a mailbox whose owner has lost it. @returns false if the mailbox does not exist or has no second factor */
export function removeMailboxSecondFactor(database: Database, mailbox: MailboxId): Promise<boolean> {
  return change(
    database,
    mailbox,
    'mailbox.remove-second-factor',
    sql`second_factor_since = null`,
    sql`and second_factor_since is not null`,
    (tx) => deleteFactors(tx, MAILBOXES, mailbox),
  );
}

async function change(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  action: `mailbox.${string}`,
  set: ReturnType<typeof sql>,
  only: ReturnType<typeof sql> = sql``,
  more: (tx: DatabaseTransaction) => Promise<unknown> = async () => {},
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await ADDRESS.sql`
      update mailboxes set ${set} where project_id = ${projectId} and id = ${mailboxId} ${only}
      returning local_part || '@' || domain as address`.execute(tx);
    const [changed] = rows;
    if (changed === undefined) return false;
    await more(tx);
    const target = encodeId('mbx', mailboxId);
    await recordChange(tx, { of: { projectId }, action, target, targetName: changed.address });
    return true;
  });
}
