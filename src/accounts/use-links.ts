/** What links lead to. A password is hashed only for a link that works: others cost nothing. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { addMember, lockOrganization } from './memberships.ts';
import { hashPassword, passwordFault } from './passwords/password.ts';
import { ensureOrganization } from './projects.ts';
import { endSessions } from './sessions.ts';
import type { Purpose } from './link-url.ts';
import { findLink, linkGone, takeLink } from './sign-in-links.ts';
import { recordUserChange } from './user-changes.ts';
import { checkedEmail, checkedName, createUser, findUserByKey } from './users.ts';
import { forgiveUser, type ProvedUser } from './user-sign-in.ts';

/**
 * The first owner, who is operator too.
 * @throws AppError not-found, validation-failed
 */
export async function welcome(
  database: Database,
  token: string,
  { name, email, password }: { name: string; email: string; password: string },
): Promise<ProvedUser> {
  checkedName(name);
  checkedEmail(email);
  const passwordHash = await hashFor(database, token, 'welcome', password);
  const userId = await database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    // It does not work any more once there is a user, such as one of the command line.
    await takeLink(tx, token, 'welcome');
    const id = await createUser(tx, { name, email, passwordHash, isOperator: true });
    await addMember(tx, organizationId, id, { role: 'owner', seesBodies: false });
    return id;
  });
  return { userId, passwordHash, by: 'link' };
}

/** Sets another password, and ends all sessions. @throws AppError not-found, validation-failed */
export async function resetPassword(
  database: Database,
  token: string,
  password: string,
): Promise<ProvedUser> {
  const passwordHash = await hashFor(database, token, 'reset', password);
  return database.transaction().execute(async (tx) => {
    const { userId } = await takeLink(tx, token, 'reset');
    if (userId === null) throw linkGone();
    await setPasswordHash(tx, userId, passwordHash, 'user.reset-password');
    await endSessions(tx, userId, null);
    return { userId, passwordHash, by: 'link' };
  });
}

/**
 * Joins an organisation. Who has no account yet gets one; who has one joins when they are signed in to it. Attack: whoever invites sees the link,
 * and may have made the account of an address that is not theirs, with a password that they know.
 * @param signedInId uuid of the user who is signed in; null: nobody is
 * @returns `sign-in`: the address has an account, which nobody is signed in to, and nothing has changed
 * @throws AppError not-found; validation-failed; already-exists: they belong to it already
 */
export async function acceptInvitation(
  database: Database,
  token: string,
  account: { name: string; password: string } | null,
  signedInId: string | null,
): Promise<ProvedUser | 'joined' | 'sign-in'> {
  const link = await findLink(database, token);
  if (link === null || link.purpose !== 'invitation') throw linkGone();
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
    // First, as whoever invites the same address again does: else each would wait for the other.
    if (link.organizationId !== null) await lockOrganization(tx, link.organizationId);
    const { organizationId, email, role, seesBodies } = await takeLink(tx, token, 'invitation');
    if (organizationId === null || email === null || role === null) throw linkGone();
    const found = await findUserByKey(tx, key);
    // They got an account in this very moment.
    if (found !== null && found.id !== signedInId) throw linkGone();
    const userId =
      found?.id ??
      (await createUser(tx, { name: account?.name ?? email, email, passwordHash, isOperator: false }));
    await addMember(tx, organizationId, userId, { role, seesBodies });
    return found === null && passwordHash !== null ? { userId, passwordHash, by: 'link' } : 'joined';
  });
}

/** In the log of each of the user's organisations. */
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
  if (user === undefined) throw linkGone();
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
  if (link?.purpose !== purpose) throw linkGone();
  if (fault !== null) throw validationError({ password: fault });
  return hashPassword(password);
}
