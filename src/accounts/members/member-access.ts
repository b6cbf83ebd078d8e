/** Lets owners and admins see and end sessions of other members, reset their second factors, and create links for new passwords. */
import type { SessionList } from '../../contract/dashboard/users.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { recordChange } from '../audit.ts';
import { describeSessions } from '../describe-session.ts';
import { resetSecondFactor } from '../factors/reset-second-factor.ts';
import { assertMay, findMember, targetOf } from './memberships.ts';
import type { Principal } from '../principal.ts';
import { endSession, endSessions } from '../sessions.ts';
import { type CreatedLink, makeResetLinkIn } from '../sign-in-links.ts';

/** The user who makes the request. */
type By = Pick<Principal, 'organizationId' | 'role' | 'sessionId' | 'isOperator' | 'userId'>;

/** @returns the member's sessions; null if the organization has no such member @throws AppError missing-role */
export async function listMemberSessions(
  database: Database,
  by: By,
  userId: string,
): Promise<SessionList | null> {
  const member = await findMember(database, by.organizationId, userId);
  if (member === null) return null;
  await assertMaySessions(database, by, userId, member.role);
  return describeSessions(database, { userId, sessionId: by.sessionId });
}

/**
 * Ends one session of a member, or all sessions of the member except the caller's own session.
 * @param endedId uuid of the session; null for all sessions
 * @returns false if there is no such member or session
 * @throws AppError missing-role
 */
export async function endMemberSessions(
  database: Database,
  by: By,
  userId: string,
  endedId: string | null,
): Promise<boolean> {
  const { organizationId, sessionId } = by;
  return database.transaction().execute(async (tx) => {
    const member = await findMember(tx, organizationId, userId);
    if (member === null) return false;
    await assertMaySessions(tx, by, userId, member.role);
    if (endedId === null) await endSessions(tx, userId, sessionId);
    else if (!(await endSession(tx, userId, endedId))) return false;
    await recordChange(tx, {
      of: { organizationId },
      action: 'member.end-sessions',
      ...(await targetOf(tx, userId)),
      after: { sessions: endedId === null ? 'all' : 'one' },
    });
    return true;
  });
}

/**
 * Removes the second factors of a member who has lost them.
 * Attack: an attacker who has guessed a person's password adds the person to the attacker's own organization and, as its owner, removes the
 * person's second factor. Therefore the caller must be an owner of every organization of the person, or an operator.
 * @returns whether there was a second factor to reset; null if the organization has no such member
 * @throws AppError missing-role
 */
export async function resetMemberSecondFactor(
  database: Database,
  by: By,
  userId: string,
): Promise<boolean | null> {
  if ((await findMember(database, by.organizationId, userId)) === null) return null;
  await assertReaches(database, by, userId, {
    roles: ['owner'],
    instead: 'Ask an operator to reset the second factor (posthorn user reset --second-factor)',
  });
  return resetSecondFactor(database, userId);
}

/**
 * Creates a link with which a member sets a new password, for members to whom no link can be mailed. The new link replaces the previous
 * one. Attack: the owner of one organization uses the link to gain the member's rights in another organization. Therefore the rules of
 * `resetMemberSecondFactor` apply, and the link still requires the second factor.
 * @returns null if the organization has no such member
 * @throws AppError missing-role
 */
export async function makeMemberResetLink(
  database: Database,
  by: By,
  userId: string,
): Promise<CreatedLink | null> {
  const { organizationId } = by;
  if ((await findMember(database, organizationId, userId)) === null) return null;
  await assertReaches(database, by, userId, {
    roles: ['owner'],
    instead: 'Ask an operator to create a link (posthorn user reset)',
  });
  return database.transaction().execute(async (tx) => {
    const link = await makeResetLinkIn(tx, userId);
    await recordChange(tx, {
      of: { organizationId },
      action: 'member.make-reset-link',
      ...(await targetOf(tx, userId)),
    });
    return link;
  });
}

/**
 * Checks that the caller may see and end a member's sessions. A session gives access to all organizations of the member. Attack: an admin
 * of one organization sees the locations from which a member works for another organization, and signs the member out of the other
 * organization.
 */
async function assertMaySessions(
  database: Database,
  by: By,
  userId: string,
  roleHere: Principal['role'],
): Promise<void> {
  assertMay(by.role, roleHere);
  await assertReaches(database, by, userId, {
    roles: ['owner', 'admin'],
    instead: 'The user can see and end their sessions under Account',
  });
}

/**
 * Checks that the caller is an operator, or has one of `way.roles` in every organization of the user. Where the user is an owner, the
 * caller must be an owner too. Only operators may act on operators.
 * @param way the accepted roles; `instead` is what the error message tells the caller to do
 * @throws AppError missing-role
 */
async function assertReaches(
  database: Database,
  by: By,
  userId: string,
  way: { roles: readonly Principal['role'][]; instead: string },
): Promise<void> {
  if (by.isOperator) return;
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
            .where((other) =>
              other.not(
                other.exists(
                  other
                    .selectFrom('memberships as o')
                    .select('o.userId')
                    .whereRef('o.organizationId', '=', 'm.organizationId')
                    .where('o.userId', '=', by.userId)
                    .where('o.role', 'in', way.roles)
                    .where((both) => both.or([both('o.role', '=', 'owner'), both('m.role', '!=', 'owner')])),
                ),
              ),
            ),
        ),
      ]),
    )
    .executeTakeFirst();
  if (found !== undefined)
    throw new AppError(
      'missing-role',
      `This user also belongs to another organization or is an operator. ${way.instead}.`,
      { extensions: { required_role: 'operator' } },
    );
}
