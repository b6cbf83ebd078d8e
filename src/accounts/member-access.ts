/** What owners and admins see and change of how others sign in. */
import type { SessionList } from '../contract/dashboard/users.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { recordChange } from './audit.ts';
import { describeSessions } from './describe-session.ts';
import { resetSecondFactor } from './factors/factors.ts';
import { assertMay, findMember, targetOf } from './memberships.ts';
import type { Principal } from './principal.ts';
import { endSession, endSessions } from './sessions.ts';

/** Who asks. */
type By = Pick<Principal, 'organizationId' | 'role' | 'sessionId' | 'isOperator' | 'userId'>;

/** @returns where a member is signed in; null: the organisation has no such member @throws AppError missing-role */
export async function listMemberSessions(
  database: Database,
  { organizationId, role, sessionId }: By,
  userId: string,
): Promise<SessionList | null> {
  const member = await findMember(database, organizationId, userId);
  if (member === null) return null;
  assertMay(role, member.role);
  return describeSessions(database, { userId, sessionId });
}

/**
 * Ends one session of a member, or all of them but the one that asks.
 * @param endedId uuid; null: all
 * @returns false: there is no such member or session
 * @throws AppError missing-role
 */
export async function endMemberSessions(
  database: Database,
  { organizationId, role, sessionId }: By,
  userId: string,
  endedId: string | null,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const member = await findMember(tx, organizationId, userId);
    if (member === null) return false;
    assertMay(role, member.role);
    if (endedId === null) await endSessions(tx, userId, sessionId);
    else if (!(await endSession(tx, userId, endedId))) return false;
    await recordChange(tx, {
      ...{ of: { organizationId }, action: 'member.end-sessions', ...(await targetOf(tx, userId)) },
      after: { sessions: endedId === null ? 'all' : 'one' },
    });
    return true;
  });
}

/**
 * For a member who has lost their second factor.
 * Attack: somebody who has guessed the password of a person joins with them in an organisation of their own, and takes away there what
 * protects them here. So whoever does it is an owner wherever that person belongs, or an operator.
 * @returns whether there was something to switch off; null: the organisation has no such member
 * @throws AppError missing-role
 */
export async function resetMemberSecondFactor(
  database: Database,
  by: By,
  userId: string,
): Promise<boolean | null> {
  if ((await findMember(database, by.organizationId, userId)) === null) return null;
  if (!by.isOperator && (await reachesFurther(database, by.userId, userId)))
    throw new AppError(
      'missing-role',
      'They belong to another organisation too, or run this installation: an operator switches it off (posthorn user reset --second-factor).',
      { extensions: { required_role: 'operator' } },
    );
  return resetSecondFactor(database, userId);
}

/** Whether a user may do something where the owner who asks is none. */
async function reachesFurther(database: Database, ownerId: string, userId: string): Promise<boolean> {
  const found = await database
    .selectFrom('users as u')
    .select('u.id')
    .where('u.id', '=', userId)
    .where((row) =>
      row.or([
        row('u.isOperator', '=', true),
        row.exists(
          row
            .selectFrom('memberships as m')
            .select('m.userId')
            .whereRef('m.userId', '=', 'u.id')
            .where(
              'm.organizationId',
              'not in',
              row
                .selectFrom('memberships as o')
                .select('o.organizationId')
                .where('o.userId', '=', ownerId)
                .where('o.role', '=', 'owner'),
            ),
        ),
      ]),
    )
    .executeTakeFirst();
  return found !== undefined;
}
