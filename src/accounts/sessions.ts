/** Dashboard sessions. A session is identified by 256 random bits in a cookie. Only the hash of these bits is stored. */
import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { SignInProof } from '../model/sign-in-requirements.ts';
import { MAX_SESSIONS, SESSION_DAYS, SESSION_IDLE_DAYS } from './limits.ts';

const TOKEN_BYTES = 32;
/** Base64url of the random bytes. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
export const MAX_USER_AGENT = 300;

/** The client that signs in. */
export interface SessionClient {
  /** IP address */
  address: string;
  userAgent: string;
}

export interface BegunSession {
  /** uuid */
  sessionId: string;
  /** The token for the cookie. Only the hash of the token is stored. */
  token: string;
}

/** A new token for the cookie. Only the hash of the token is stored. */
export function newSessionToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

/** A fast hash is enough, because the token cannot be guessed. */
export function sessionDigest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/**
 * Begins a session for a user who has just signed in. The session always gets a new token, because an attacker may have planted a known
 * token in the browser (session fixation).
 */
export async function beginSession(
  database: Database | DatabaseTransaction,
  userId: string,
  { address, userAgent }: SessionClient,
  { withSecondFactor, withOpenid }: SignInProof = { withSecondFactor: false, withOpenid: false },
): Promise<BegunSession> {
  const token = newSessionToken();
  const id = newUuid();
  const at = timeOf(id);
  await database
    .insertInto('sessions')
    .values({
      userId,
      id,
      tokenSha256: sessionDigest(token),
      createdAt: at,
      usedAt: at,
      confirmedAt: at,
      address,
      userAgent: userAgent.slice(0, MAX_USER_AGENT),
      withSecondFactor,
      withOpenid,
    })
    .execute();
  await database.updateTable('users').set({ signedInAt: at }).where('id', '=', userId).execute();
  await sql`
    delete from sessions where user_id = ${userId} and id in (
      select id from sessions where user_id = ${userId} order by used_at desc, id desc offset ${MAX_SESSIONS})`.execute(
    database,
  );
  return { sessionId: id, token };
}

/** The condition that a session is neither too old nor idle for too long. */
export const IS_SESSION_ACTIVE = sql<boolean>`sessions.used_at > now() - ${SESSION_IDLE_DAYS} * interval '1 day'
  and sessions.created_at > now() - ${SESSION_DAYS} * interval '1 day'`;

/**
 * Records that the user has just confirmed their identity. The session needs no further confirmation for ten minutes.
 * @param proof the proofs in addition to the password, which are stored in the session
 */
export async function confirmSession(
  database: Database,
  { userId, sessionId }: { userId: string; sessionId: string },
  proof: Partial<SignInProof> = {},
): Promise<void> {
  await database
    .updateTable('sessions')
    .set({
      confirmedAt: sql`now()`,
      ...(proof.withSecondFactor === true && { withSecondFactor: true }),
      ...(proof.withOpenid === true && { withOpenid: true }),
    })
    .where('userId', '=', userId)
    .where('id', '=', sessionId)
    .execute();
}

interface SessionRecord extends SessionClient {
  /** uuid */
  id: string;
  createdAt: Date;
  /** The time of the last use, accurate to a minute. */
  usedAt: Date;
}

/** The sessions of a user, most recently used first. */
export async function listSessions(database: Database, userId: string): Promise<SessionRecord[]> {
  return database
    .selectFrom('sessions')
    .select(['id', 'createdAt', 'usedAt', 'address', 'userAgent'])
    .where('userId', '=', userId)
    .where(IS_SESSION_ACTIVE)
    .orderBy('usedAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Ends a session. Every process rejects the session within two seconds. @returns false if the user has no such session */
export async function endSession(
  database: Database | DatabaseTransaction,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/**
 * Ends the sessions of a user.
 * @param exceptId uuid of a session that continues; null to end all sessions
 * @returns the number of ended sessions
 */
export async function endSessions(
  database: Database | DatabaseTransaction,
  userId: string,
  exceptId: string | null,
): Promise<number> {
  let ending = database.deleteFrom('sessions').where('userId', '=', userId);
  if (exceptId !== null) ending = ending.where('id', '<>', exceptId);
  return Number((await ending.executeTakeFirst()).numDeletedRows);
}

/** Ends the session with this token. */
export async function endSessionByToken(database: Database, token: string): Promise<void> {
  await database.deleteFrom('sessions').where('tokenSha256', '=', sessionDigest(token)).execute();
}

/**
 * Checks that a session has not ended. Must be called before a user's sign-in methods are changed, and after the user's row is locked.
 * Attack: the account was just cleared and its sessions have ended, but a session that a process still caches adds a password or a second
 * factor.
 * @throws AppError not-signed-in
 */
export async function assertSession(
  tx: DatabaseTransaction,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<void> {
  const session = await tx
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  if (session === undefined) throw new AppError('not-signed-in', 'The session has ended. Sign in again.');
}
