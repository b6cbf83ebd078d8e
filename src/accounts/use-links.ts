/**
 * Uses the links of welcome, reset and invitation. A password is hashed only after the link was found to work, so an invalid token costs no
 * hash.
 */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { clearUnverified } from './factors/clear-unverified.ts';
import { hasSecondFactor, readFactors } from './factors/factors.ts';
import { USERS } from './factors/user-realm.ts';
import { addMember } from './members/memberships.ts';
import {
  checkName,
  ensureOrganization,
  lockOrganization,
  renameOrganization,
} from './organizations/organizations.ts';
import { hashPassword, passwordFault } from './passwords/password.ts';
import { endSessions } from './sessions.ts';
import type { Purpose } from './link-url.ts';
import { findLink, findLinkFor, linkInvalid, takeLink } from './sign-in-links.ts';
import { recordUserChange } from './user-changes.ts';
import { setVerified } from './verification.ts';
import { checkedEmail, checkedName, createUser, findUserByKey } from './users.ts';
import { forgiveUser, type ProvedUser } from './user-sign-in.ts';

interface FirstOwner {
  name: string;
  email: string;
  password: string;
  /** The new name of the organization. Absent: it keeps its name. */
  organization?: string;
}

/**
 * Creates the first owner, who is also an operator.
 * @param assertNotShared throws if several people can open the mailbox of the address
 * @throws AppError not-found, validation-failed
 */
export async function welcome(
  database: Database,
  token: string,
  { name, email, password, organization }: FirstOwner,
  assertNotShared: (tx: DatabaseTransaction, email: string, organizationId: string | null) => Promise<void>,
): Promise<ProvedUser> {
  checkedName(name);
  checkedEmail(email);
  if (organization !== undefined) checkName(organization, 'organization');
  const passwordHash = await hashFor(database, token, 'welcome', password);
  const userId = await database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    // The link stops working once there is a user, for example a user created on the command line.
    await takeLink(tx, token, 'welcome');
    await assertNotShared(tx, email, null);
    const id = await createUser(tx, { name, email, passwordHash, isOperator: true });
    await addMember(tx, organizationId, id, { role: 'owner', seesBodies: false });
    if (organization !== undefined) await renameOrganization(tx, organizationId, organization);
    return id;
  });
  return { userId, passwordHash, by: 'link' };
}

/**
 * Sets a new password and ends all sessions. A mailed link also verifies the account. If the account was unverified, its sign-in methods
 * are removed first (`clearUnverified`). A link that is valid only with a second factor does not change the password yet. `finishReset`
 * sets the password after the factor has been proved. Attack: a reader of the mailbox sets a password and waits until the second factor is
 * switched off.
 * @throws AppError not-found, validation-failed
 */
export async function resetPassword(
  database: Database,
  token: string,
  password: string,
): Promise<ProvedUser> {
  const passwordHash = await hashFor(database, token, 'reset', password);
  return database.transaction().execute(async (tx) => {
    const { id, userId, isMailed, needsSecondFactor } = await findLinkFor(tx, token, 'reset');
    if (userId === null) throw linkInvalid();
    if (needsSecondFactor) {
      if (!hasSecondFactor(await readFactors(tx, USERS, userId))) throw linkInvalid();
      await tx
        .updateTable('signInLinks')
        .set({ mailedTokenSha256: null, pendingPasswordHash: passwordHash })
        .where('id', '=', id)
        .execute();
      return { userId, passwordHash: null, by: 'link', resetLinkId: id };
    }
    await tx.deleteFrom('signInLinks').where('id', '=', id).execute();
    if (isMailed) await clearUnverified(tx, userId);
    await setPasswordHash(tx, userId, passwordHash, 'user.reset-password');
    await endSessions(tx, userId, null);
    return { userId, passwordHash, by: 'link' };
  });
}

/**
 * Sets the new password from a link that needs a second factor and ends all sessions. Call after the user has proved the factor.
 * @returns the hash of the password
 * @throws AppError not-found if the link has expired, or another link has replaced it
 */
export async function finishReset(database: Database, userId: string, linkId: string): Promise<string> {
  return database.transaction().execute(async (tx) => {
    const link = await tx
      .deleteFrom('signInLinks')
      .where((row) => rowIs(row, { id: linkId, userId }))
      .where('expiresAt', '>', sql<Date>`now()`)
      .returning('pendingPasswordHash')
      .executeTakeFirst();
    const passwordHash = link?.pendingPasswordHash ?? null;
    if (passwordHash === null) throw linkInvalid();
    await setPasswordHash(tx, userId, passwordHash, 'user.reset-password');
    await endSessions(tx, userId, null);
    return passwordHash;
  });
}

/**
 * Adds a user to the organization of an invitation. If the invited address has no account, an account is created; otherwise the user must
 * be signed in to the account.
 * Attack: the inviter, who sees the link, creates the account for another person's address, with a password that the inviter knows. An
 * account that is created with that link is therefore unverified. The mail to the invited address has a different token (`isMailed`), which
 * verifies a new or an existing account.
 * @param signedInId uuid of the user who is signed in; null if no user is signed in
 * @param isLocal whether the mailbox of an address is on this server. If so, a second factor verifies the account, because no link is
 * mailed to local mailboxes
 * @returns `sign-in` if the address has an account and the user is not signed in to it; nothing is changed in this case
 * @throws AppError not-found; validation-failed; missing-role if an owner has to confirm the invitation first; already-exists if the user
 * is a member
 */
export async function acceptInvitation(
  database: Database,
  token: string,
  account: { name: string; password: string } | null,
  signedInId: string | null,
  isLocal: (tx: DatabaseTransaction, address: string) => Promise<boolean>,
): Promise<ProvedUser | 'joined' | 'sign-in'> {
  const link = await findLink(database, token);
  if (link === null || link.purpose !== 'invitation') throw linkInvalid();
  if (link.awaitsConfirmation) throw awaitsConfirmation();
  const { key } = checkedEmail(link.email ?? '');
  const before = await findUserByKey(database, key);
  if (before !== null && before.id !== signedInId) return 'sign-in';
  if (before === null && account === null)
    throw validationError({ name: 'is required', password: 'is required' });
  if (account !== null) checkedName(account.name);
  const passwordHash =
    before !== null || account === null
      ? null
      : await hashFor(database, token, 'invitation', account.password);
  return database.transaction().execute(async (tx) => {
    // Locks the organization first, in the same order as an invitation of the same address, to avoid a deadlock.
    if (link.organizationId !== null) await lockOrganization(tx, link.organizationId);
    const invitation = await takeLink(tx, token, 'invitation');
    const { organizationId, email, role, seesBodies, isMailed } = invitation;
    if (invitation.awaitsConfirmation) throw awaitsConfirmation();
    if (organizationId === null || email === null || role === null) throw linkInvalid();
    const found = await findUserByKey(tx, key);
    // The account was created in the meantime, and the user is not signed in to it.
    if (found !== null && found.id !== signedInId) throw linkInvalid();
    const verifiesBy = isMailed ? null : (await isLocal(tx, email)) ? 'second-factor' : 'mail';
    const name = account?.name ?? email;
    const userId =
      found?.id ?? (await createUser(tx, { name, email, passwordHash, isOperator: false, verifiesBy }));
    await addMember(tx, organizationId, userId, { role, seesBodies });
    if (isMailed) await setVerified(tx, userId);
    return found === null && passwordHash !== null ? { userId, passwordHash, by: 'link' } : 'joined';
  });
}

function awaitsConfirmation(): AppError {
  return new AppError(
    'missing-role',
    'The invitation is not confirmed yet. Ask an owner of the organization to confirm it under People, then open the link again.',
    { extensions: { required_role: 'owner' } },
  );
}

/** Sets the password and records the change in the log of each of the user's organizations. */
export async function setPasswordHash(
  tx: DatabaseTransaction,
  userId: string,
  passwordHash: string,
  action: 'user.reset-password' | 'user.change-password',
): Promise<void> {
  const user = await tx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', userId)
    .returning('emailKey')
    .executeTakeFirst();
  if (user === undefined) throw linkInvalid();
  await forgiveUser(tx, userId, user.emailKey);
  await recordUserChange(tx, userId, { action });
}

async function hashFor(
  database: Database,
  token: string,
  purpose: Purpose,
  password: string,
): Promise<string> {
  const fault = passwordFault(password);
  const link = await findLink(database, token);
  if (link?.purpose !== purpose) throw linkInvalid();
  if (fault !== null) throw validationError({ password: fault });
  return hashPassword(password);
}
