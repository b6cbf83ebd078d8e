/**
 * Links that work once: for the first owner, for a new password, and to join an organization. The token is in the URL's fragment, which
 * browsers do not send to servers, so no access log contains the token. The page sends the token in a POST request.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import type { SignInLink } from '../contract/dashboard/users.ts';
import { readUserEmail } from './user-email.ts';
import { findUserByKey } from './users.ts';
import { RESET_HOURS, WELCOME_HOURS } from './limits.ts';
import type { Purpose } from './link-url.ts';
import { isSessionToken, sessionDigest } from './sessions.ts';

const TOKEN_BYTES = 32;
const HOUR_MS = 60 * 60_000;
/** Maximum number of links for the first owner, because a service that restarts repeatedly creates a link each time. */
const MAX_WELCOME_LINKS = 10;

export interface CreatedLink {
  /** uuid */
  id: string;
  /** The token for `linkUrl`. Only the hash of the token is stored. */
  token: string;
  createdAt: Date;
  expiresAt: Date;
}

/** How a link was used. */
export interface LinkUse {
  /**
   * Whether the token from the mail was used. The inviter and the operator never see this token, so its use proves that the user can read
   * the mailbox.
   */
  isMailed: boolean;
  /** Whether the mail was sent to a mailbox on this server. If so, the link is valid only together with a second factor. */
  needsSecondFactor: boolean;
}

interface Columns {
  userId?: string;
  organizationId?: string;
  email?: string;
  emailKey?: string;
  role?: Role;
  seesBodies?: boolean;
  madeBy?: string;
  awaitsConfirmation?: boolean;
}

export async function insertLink(
  database: Database | DatabaseTransaction,
  purpose: Purpose,
  hours: number,
  columns: Columns = {},
): Promise<CreatedLink> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const id = newUuid();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + hours * HOUR_MS);
  await database
    .insertInto('signInLinks')
    .values({
      id,
      tokenSha256: sessionDigest(token),
      purpose,
      createdAt,
      expiresAt,
      userId: columns.userId ?? null,
      organizationId: columns.organizationId ?? null,
      email: columns.email ?? null,
      emailKey: columns.emailKey ?? null,
      role: columns.role ?? null,
      seesBodies: columns.seesBodies ?? false,
      madeBy: columns.madeBy ?? null,
      awaitsConfirmation: columns.awaitsConfirmation ?? false,
    })
    .execute();
  return { id, token, createdAt, expiresAt };
}

export async function hasUsers(database: Database): Promise<boolean> {
  const user = await database.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return user !== undefined;
}

/**
 * Creates a link for the first owner. Earlier links keep working, because several machines may have started at once.
 * @returns the token of the link; null if the installation already has a user
 */
export async function makeWelcomeLink(database: Database): Promise<string | null> {
  if (await hasUsers(database)) return null;
  const { token } = await insertLink(database, 'welcome', WELCOME_HOURS);
  await sql`
    delete from sign_in_links where purpose = 'welcome' and id not in (
      select id from sign_in_links where purpose = 'welcome' order by id desc limit ${MAX_WELCOME_LINKS})`.execute(
    database,
  );
  return token;
}

/** Creates a link with which a user sets a new password. The new link replaces the previous one. */
export function makeResetLink(database: Database, userId: string): Promise<CreatedLink> {
  return database.transaction().execute((tx) => makeResetLinkIn(tx, userId));
}

/** Like `makeResetLink`, in the caller's transaction. */
export async function makeResetLinkIn(tx: DatabaseTransaction, userId: string): Promise<CreatedLink> {
  await tx.deleteFrom('signInLinks').where('userId', '=', userId).execute();
  return insertLink(tx, 'reset', RESET_HOURS, { userId });
}

/**
 * Gives a link a second token for the mail. Only the recipient of the mail gets this token, which differs from the token in `CreatedLink`.
 * @param needsSecondFactor see `LinkUse`
 */
export async function mailedTokenFor(
  tx: DatabaseTransaction,
  linkId: string,
  { needsSecondFactor }: Pick<LinkUse, 'needsSecondFactor'>,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await tx
    .updateTable('signInLinks')
    .set({ mailedTokenSha256: sessionDigest(token), mailedNeedsFactor: needsSecondFactor })
    .where('id', '=', linkId)
    .execute();
  return token;
}

export interface PendingLink extends LinkUse {
  id: string;
  purpose: Purpose;
  userId: string | null;
  organizationId: string | null;
  email: string | null;
  role: Role | null;
  seesBodies: boolean;
  madeBy: string | null;
  awaitsConfirmation: boolean;
  expiresAt: Date;
}

/** The details of a link; null if the link does not work. */
export async function findLink(
  database: Database | DatabaseTransaction,
  token: string,
): Promise<PendingLink | null> {
  if (!isSessionToken(token)) return null;
  const found = await livingLinks(database, token).executeTakeFirst();
  return found ?? null;
}

/**
 * Marks a link as used, in the transaction that performs the link's purpose. Of two concurrent uses, only one succeeds.
 * @throws AppError not-found
 */
export async function takeLink(
  tx: DatabaseTransaction,
  token: string,
  purpose: Purpose,
): Promise<PendingLink> {
  const found = await findLinkFor(tx, token, purpose);
  await tx.deleteFrom('signInLinks').where('id', '=', found.id).execute();
  return found;
}

/** Finds a link that still works and locks the link, so that only one caller uses it. @throws AppError not-found */
export async function findLinkFor(
  tx: DatabaseTransaction,
  token: string,
  purpose: Purpose,
): Promise<PendingLink> {
  const found = isSessionToken(token)
    ? await livingLinks(tx, token).where('l.purpose', '=', purpose).forUpdate('l').executeTakeFirst()
    : undefined;
  if (found === undefined) throw linkInvalid();
  return found;
}

export function linkInvalid(): AppError {
  return new AppError(
    'not-found',
    'This link has expired, has already been used or is not valid. Ask for a new one.',
  );
}

function livingLinks(database: Database | DatabaseTransaction, token: string) {
  const digest = sessionDigest(token);
  return database
    .selectFrom('signInLinks as l')
    .leftJoin('users as u', 'u.id', 'l.userId')
    .select([
      'l.id',
      'l.purpose',
      'l.userId',
      'l.organizationId',
      'l.role',
      'l.seesBodies',
      'l.madeBy',
      'l.awaitsConfirmation',
      'l.expiresAt',
    ])
    .select(sql<string | null>`coalesce(l.email, u.email)`.as('email'))
    .select(sql<boolean>`l.token_sha256 <> ${digest}`.as('isMailed'))
    .select(sql<boolean>`l.token_sha256 <> ${digest} and l.mailed_needs_factor`.as('needsSecondFactor'))
    .where((row) => row.or([row('l.tokenSha256', '=', digest), row('l.mailedTokenSha256', '=', digest)]))
    .where('l.expiresAt', '>', sql<Date>`now()`)
    .where(sql<boolean>`(l.purpose <> 'welcome' or not exists (select from users))`);
}

/** Describes a link for the page that opens it. @throws AppError not-found */
export async function describeLink(database: Database, token: string): Promise<SignInLink> {
  const link = await findLink(database, token);
  if (link === null) throw linkInvalid();
  const { purpose, email, organizationId, role, madeBy, awaitsConfirmation, expiresAt } = link;
  const key = email === null ? null : (readUserEmail(email)?.key ?? null);
  const organization =
    organizationId === null
      ? undefined
      : await database
          .selectFrom('organizations')
          .select('name')
          .where('id', '=', organizationId)
          .executeTakeFirst();
  return {
    purpose,
    email,
    role,
    organization: organization?.name ?? null,
    invited_by: madeBy,
    awaits_confirmation: awaitsConfirmation,
    has_account: key !== null && (await findUserByKey(database, key)) !== null,
    expires_at: expiresAt.toISOString(),
  };
}
