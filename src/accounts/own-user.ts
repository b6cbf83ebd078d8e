/** Changes that users make to their own account. */
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { hashPassword, passwordFault } from './passwords/password.ts';
import { assertSession, endSessions } from './sessions.ts';
import { setPasswordHash } from './use-links.ts';
import { recordUserChange } from './user-changes.ts';
import { checkedName } from './users.ts';

/** Changes the user's password and ends all other sessions of the user. @throws AppError validation-failed */
export async function changePassword(
  database: Database,
  { userId, sessionId }: { userId: string; sessionId: string },
  password: string,
): Promise<void> {
  const fault = passwordFault(password);
  if (fault !== null) throw validationError({ password: fault });
  const passwordHash = await hashPassword(password);
  await database.transaction().execute(async (tx) => {
    await setPasswordHash(tx, userId, passwordHash, 'user.change-password');
    await assertSession(tx, { userId, sessionId });
    await endSessions(tx, userId, sessionId);
  });
}

/** @throws AppError validation-failed */
export async function renameUser(database: Database, userId: string, name: string): Promise<void> {
  const after = { name: checkedName(name) };
  await database.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('users')
      .select('name')
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined || before.name === after.name) return;
    await tx.updateTable('users').set(after).where('id', '=', userId).execute();
    await recordUserChange(tx, userId, { action: 'user.rename', before, after });
  });
}
