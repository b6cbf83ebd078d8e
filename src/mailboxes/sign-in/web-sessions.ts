/**
 * Sessions of the web client. A session belongs to one browser and one mailbox. A cookie with 256 random bits identifies the session, and
 * only the hash of these bits is stored.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { SESSION_DAYS, SESSION_IDLE_DAYS } from '../../accounts/limits.ts';
import {
  type BegunSession,
  type SessionClient,
  isSessionToken,
  MAX_USER_AGENT,
  newSessionToken,
  sessionDigest,
} from '../../accounts/sessions.ts';
import { SessionLookUps } from '../../accounts/session-look-ups.ts';
import type { WebSession } from '../../accounts/calls.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { rowsOf } from '../../db/rows.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { newUuid, timeOf } from '../../model/ids.ts';
import { MAX_WEB_SESSIONS } from './limits.ts';

interface MailboxId {
  projectId: string;
  mailboxId: string;
}

/** The credential that the user has proved. The session is valid as long as the credential is valid. */
export interface ProvedPassword extends MailboxId {
  passwordHash: string;
  sessionsVersion: number;
}

/**
 * SQL that is true if a session is neither too old nor idle for too long, and its credential is still valid. `w` is the row of the session,
 * `m` the row of the mailbox.
 */
export const WEB_SESSION_LIVES = sql<boolean>`w.used_at > now() - ${SESSION_IDLE_DAYS} * interval '1 day'
  and w.created_at > now() - ${SESSION_DAYS} * interval '1 day' and w.sessions_version = m.sessions_version
  and w.password_sha256 = sha256(convert_to(m.password_hash, 'UTF8'))`;

function passwordDigest(passwordHash: string): Buffer {
  return hash('sha256', passwordHash, 'buffer');
}

/**
 * Begins a session. The token is always new. Attack (session fixation): an attacker plants a token in the browser before the user signs in.
 * @returns null if the password was changed or the mailbox was deleted in the meantime
 */
export async function beginWebSession(
  database: Database,
  { projectId, mailboxId, passwordHash, sessionsVersion }: ProvedPassword,
  { address, userAgent }: SessionClient,
): Promise<BegunSession | null> {
  const token = newSessionToken();
  const id = newUuid();
  const at = timeOf(id);
  // The insert locks the mailbox's row, so if the password is being changed, it waits and then sees the new one. A later change ends this
  // session too.
  const { numAffectedRows } = await sql`
    insert into web_sessions (project_id, mailbox_id, id, token_sha256, password_sha256, sessions_version, created_at, used_at,
      confirmed_at, address, user_agent)
    select project_id, id, ${id}, ${sessionDigest(token)}, ${passwordDigest(passwordHash)}, sessions_version, ${at}, ${at}, ${at},
      ${address}, ${userAgent.slice(0, MAX_USER_AGENT)}
    from mailboxes where project_id = ${projectId} and id = ${mailboxId} and password_hash = ${passwordHash}
      and sessions_version = ${sessionsVersion} for share`.execute(database);
  if (numAffectedRows !== 1n) return null;
  await sql`
    delete from web_sessions where project_id = ${projectId} and mailbox_id = ${mailboxId} and id in (
      select id from web_sessions where project_id = ${projectId} and mailbox_id = ${mailboxId}
      order by used_at desc, id desc offset ${MAX_WEB_SESSIONS})`.execute(database);
  return { sessionId: id, token };
}

/** Ends a session. Every process notices within two seconds. @returns false if the mailbox has no such session */
export async function endWebSession(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('webSessions')
    .where((row) => rowIs(row, { projectId, mailboxId, id }))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Records that the owner has confirmed their identity. No further confirmation is needed for ten minutes. */
export async function confirmWebSession(
  database: Database,
  { projectId, mailboxId, sessionId: id }: Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId'>,
): Promise<void> {
  await database
    .updateTable('webSessions')
    .set({ confirmedAt: sql`now()` })
    .where((row) => rowIs(row, { projectId, mailboxId, id }))
    .execute();
}

/** Ends all browser sessions of a mailbox except one. */
export async function endOtherWebSessions(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxId,
  exceptId: string,
): Promise<void> {
  await database
    .deleteFrom('webSessions')
    .where((row) => rowIs(row, { projectId, mailboxId }))
    .where('id', '<>', exceptId)
    .execute();
}

/** Keeps a session valid after a password change, by storing the new password as the one that it was opened with. */
export async function keepWebSession(
  tx: DatabaseTransaction,
  { projectId, mailboxId, sessionId: id }: Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId'>,
  passwordHash: string,
): Promise<void> {
  await tx
    .updateTable('webSessions')
    .set({ passwordSha256: passwordDigest(passwordHash) })
    .where((row) => rowIs(row, { projectId, mailboxId, id }))
    .execute();
}

/** Keeps the sessions of a mailbox valid when the same password gets another hash. */
export async function moveWebSessions(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxId,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx
    .updateTable('webSessions')
    .set({ passwordSha256: passwordDigest(to) })
    .where((row) => rowIs(row, { projectId, mailboxId }))
    .where('passwordSha256', '=', passwordDigest(from))
    .execute();
}

/** The columns of a session that its owner can see. */
const LISTED = columnsOf({
  id: 'uuid',
  address: 'text',
  userAgent: 'text',
  createdAt: 'timestamptz',
  /** The last use, accurate to a minute. */
  usedAt: 'timestamptz',
});

/** The sessions of the web client for a mailbox, most recently used first. */
export async function listWebSessions(
  database: Database,
  { projectId, mailboxId }: MailboxId,
): Promise<RowOf<typeof LISTED>[]> {
  const { rows } = await LISTED.sql`
    select w.id, w.created_at, w.used_at, w.address, w.user_agent
    from web_sessions w join mailboxes m on m.project_id = w.project_id and m.id = w.mailbox_id
    where w.project_id = ${projectId} and w.mailbox_id = ${mailboxId} and ${WEB_SESSION_LIVES}
    order by w.used_at desc, w.id desc limit ${MAX_WEB_SESSIONS}`.execute(database);
  return rows;
}

/** Finds the session of a token. */
export class WebSessions {
  readonly #lookUps: SessionLookUps<string, WebSession>;

  constructor(database: Database) {
    this.#lookUps = new SessionLookUps((tokens) => find(database, tokens));
  }

  /**
   * @returns null if the session does not exist, has ended or was idle for too long. The result is a promise only if the session is not
   * cached
   * @throws AppError unavailable
   */
  find(token: string): MaybePromise<WebSession | null> {
    return isSessionToken(token) ? this.#lookUps.find(token, token) : null;
  }

  /** Like `find`, but bypasses the cache. */
  lookUp(token: string): Promise<WebSession | null> {
    return this.#lookUps.lookUp(token);
  }
}

const SESSION_QUERIES = rowsOf<{ at: number; token: string }>('a', {
  at: ['int4', ({ at }) => at],
  digest: ['bytea', ({ token }) => sessionDigest(token)],
});

const FOUND = columnsOf({
  at: 'int4',
  projectId: 'uuid',
  mailboxId: 'uuid',
  sessionId: 'uuid',
  confirmedAt: 'timestamptz',
  sessionsVersion: 'int4',
  address: 'text',
  displayName: 'text?',
  isNoted: 'bool',
});

async function find(database: Database, tokens: readonly string[]): Promise<(WebSession | null)[]> {
  const { rows } = await FOUND.sql`
    select a.at, w.project_id, w.mailbox_id, w.id as session_id, w.confirmed_at, w.sessions_version, m.local_part || '@' || m.domain as address,
      m.display_name, w.used_at > now() - interval '1 minute' as is_noted
    from ${SESSION_QUERIES.from(tokens.map((token, at) => ({ at, token })))}
    join web_sessions w on w.token_sha256 = a.digest
    join mailboxes m on m.project_id = w.project_id and m.id = w.mailbox_id
    where ${WEB_SESSION_LIVES}`.execute(database);
  await noteUse(
    database,
    rows.filter(({ isNoted }) => !isNoted),
  );
  const found = new Map(rows.map((row) => [row.at, sessionOf(row)]));
  return tokens.map((_, at) => found.get(at) ?? null);
}

function sessionOf({ projectId, mailboxId, sessionId, ...row }: WebSession): WebSession {
  const { sessionsVersion, address, displayName, confirmedAt } = row;
  return { projectId, mailboxId, sessionId, sessionsVersion, address, displayName, confirmedAt };
}

/** Records the last use of sessions, at most once a minute for each session across all processes. */
async function noteUse(database: Database, used: readonly WebSession[]): Promise<void> {
  if (used.length === 0) return;
  await database
    .updateTable('webSessions')
    .set({ usedAt: sql`now()` })
    .where((row) =>
      row.or(
        used.map(({ projectId, mailboxId, sessionId }) =>
          rowIs(row, { projectId, mailboxId, id: sessionId }),
        ),
      ),
    )
    .where('usedAt', '<', sql<Date>`now() - interval '1 minute'`)
    .execute();
}
