/** Operators of the installation: a flag on a user, which only the command line sets and removes. */
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { recordUserChange } from './user-changes.ts';

/**
 * Makes a user an operator, or removes the operator right.
 * @param userId uuid
 * @returns false if nothing changed
 * @throws AppError bad-request if the operator to remove is the last one, or belongs to no organization
 */
export async function setOperator(database: Database, userId: string, isOperator: boolean): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    // Locks all operators in a fixed order, so that of two concurrent removals, the second removal finds only one operator left.
    const operators = await tx
      .selectFrom('users')
      .select('id')
      .where('isOperator', '=', true)
      .orderBy('id')
      .forUpdate()
      .execute();
    const isOne = operators.some(({ id }) => id === userId);
    if (isOne === isOperator) return false;
    if (!isOperator && operators.length === 1)
      throw new AppError(
        'bad-request',
        'This is the only operator. Make another user an operator first, or no one can open System.',
      );
    if (!isOperator) {
      const membership = await tx
        .selectFrom('memberships')
        .select('role')
        .where('userId', '=', userId)
        .executeTakeFirst();
      if (membership === undefined)
        throw new AppError(
          'bad-request',
          'This user is not in any organization, so they would lose all access. Delete the user, or add them to an organization first.',
        );
    }
    await tx.updateTable('users').set({ isOperator }).where('id', '=', userId).execute();
    await recordUserChange(tx, userId, {
      action: 'user.set-operator',
      before: { is_operator: !isOperator },
      after: { is_operator: isOperator },
    });
    return true;
  });
}
