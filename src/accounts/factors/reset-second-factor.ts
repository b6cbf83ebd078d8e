import type { Database } from '../../db/database.ts';
import { deleteFactors, hasSecondFactor } from './factors.ts';
import { USERS } from './user-realm.ts';

/** Removes the second factors of a user who has lost them. @returns false if the user had no second factor */
export async function resetSecondFactor(database: Database, userId: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const before = await deleteFactors(tx, USERS, userId);
    if (!hasSecondFactor(before)) return false;
    await USERS.holder(userId).record(tx, 'reset-second-factor', {
      before: { authenticator_app: before.hasTotp, passkeys: before.passkeys },
    });
    return true;
  });
}
