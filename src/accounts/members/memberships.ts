/** Members of organizations and their roles. An organization that has owners keeps at least one owner. */
import { sql } from 'kysely';
import type { CreatedOrganization, Member } from '../../contract/dashboard/organizations.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { isAtLeast, type ProjectRole, type Role } from '../../model/roles.ts';
import { recordChange, recordDifferences } from '../audit.ts';
import { revokeMemberKeys } from '../keys/member-keys.ts';
import { createOrganization, lockOrganization } from '../organizations/organizations.ts';
import { isUnverified } from '../verification.ts';

export interface Membership {
  role: Role;
  /** Whether a viewer may read the content of emails. */
  seesBodies: boolean;
}

interface MemberChange extends Partial<Membership> {
  /** The role in each project, by the project's uuid. A null value means that the role in the organization applies. */
  projectRoles?: ReadonlyMap<string, ProjectRole | null>;
}

interface MemberRecord extends Membership {
  /** uuid */
  userId: string;
  email: string;
  name: string;
  createdAt: Date;
  signedInAt: Date | null;
  hasSecondFactor: boolean;
  isVerified: boolean;
  projectRoles: { projectId: string; role: ProjectRole }[];
}

/** Creates an organization with its first owner. @throws AppError validation-failed */
export async function createOrganizationWithOwner(
  database: Database,
  ownerId: string,
  name: string,
): Promise<CreatedOrganization> {
  return database.transaction().execute(async (tx) => {
    const id = await createOrganization(tx, name);
    await addMember(tx, id, ownerId, { role: 'owner', seesBodies: false });
    return { id: encodeId('org', id), name };
  });
}

/** Must be called after `lockOrganization`. @throws AppError already-exists */
export async function addMember(
  tx: DatabaseTransaction,
  organizationId: string,
  userId: string,
  { role, seesBodies }: Membership,
): Promise<void> {
  const added = await tx
    .insertInto('memberships')
    .values({ organizationId, userId, role, seesBodies, createdAt: clock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .returning('userId')
    .executeTakeFirst();
  if (added === undefined)
    throw new AppError('already-exists', 'The user already belongs to the organization.', {
      errors: { email: 'already belongs to the organization' },
    });
  await recordChange(tx, {
    of: { organizationId },
    action: 'member.add',
    ...(await targetOf(tx, userId)),
    after: { role, sees_bodies: seesBodies },
  });
}

/** The members of an organization. Users that were created first come first. */
export async function listMembers(database: Database, organizationId: string): Promise<{ data: Member[] }> {
  const members = await membersOf(database, organizationId).orderBy('m.userId').execute();
  return { data: members.map(toMember) };
}

/** @returns null if the organization has no such member */
export async function findMember(
  database: Database | DatabaseTransaction,
  organizationId: string,
  userId: string,
): Promise<MemberRecord | null> {
  return (
    (await membersOf(database, organizationId).where('m.userId', '=', userId).executeTakeFirst()) ?? null
  );
}

/**
 * @param by the caller's role: a caller can neither change a member with a higher role nor grant a higher role
 * @returns the changed member; null if the organization has no such member
 * @throws AppError missing-role; validation-failed if no owner would be left, or a project does not belong to the organization
 */
export async function changeMember(
  database: Database,
  organizationId: string,
  userId: string,
  by: Role,
  change: MemberChange,
): Promise<Member | null> {
  return database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const before = await findMember(tx, organizationId, userId);
    if (before === null) return null;
    assertMay(by, before.role);
    assertMay(by, change.role ?? before.role);
    const { role = before.role, seesBodies = before.seesBodies, projectRoles = new Map() } = change;
    await tx
      .updateTable('memberships')
      .set({ role, seesBodies })
      .where((row) => rowIs(row, { organizationId, userId }))
      .execute();
    if (before.role === 'owner' && role !== 'owner') await checkOwners(tx, organizationId, 'role');
    for (const [projectId, inProject] of projectRoles)
      await setProjectRole(tx, { organizationId, userId, projectId }, inProject);
    const after = await findMember(tx, organizationId, userId);
    if (after === null) return null;
    const what = {
      of: { organizationId },
      action: 'member.change',
      ...(await targetOf(tx, userId)),
    } as const;
    await recordDifferences(tx, what, fieldsOf(before), fieldsOf(after));
    return toMember(after);
  });
}

/**
 * Removes a member. A user who is in no other organization is deleted with all sessions, unless the user is an operator.
 * @param by see `changeMember`; for a member who leaves, the role of the member
 * @param keys whether the API keys that the member created in the organization's projects are revoked
 * @returns false if the organization has no such member
 * @throws AppError missing-role; validation-failed if no owner would be left
 */
export async function removeMember(
  database: Database,
  organizationId: string,
  userId: string,
  by: Role,
  keys: 'keep' | 'revoke' = 'keep',
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const member = await findMember(tx, organizationId, userId);
    if (member !== null) assertMay(by, member.role);
    if (!(await leave(tx, organizationId, userId))) return false;
    if (keys === 'revoke') await revokeMemberKeys(tx, organizationId, userId);
    await deleteStrandedUsers(tx, [userId]);
    return true;
  });
}

/**
 * Deletes a user with all memberships and sessions.
 * @throws AppError validation-failed if an organization would have no owner
 */
export async function deleteUser(database: Database, userId: string): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const memberships = await tx
      .selectFrom('memberships')
      .select('organizationId')
      .where('userId', '=', userId)
      .orderBy('organizationId')
      .execute();
    for (const { organizationId } of memberships) {
      await lockOrganization(tx, organizationId);
      await leave(tx, organizationId, userId);
    }
    await tx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
    const joined = await tx.selectFrom('memberships').select('userId').where('userId', '=', userId).execute();
    if (joined.length > 0)
      throw new AppError('unavailable', 'The user has just joined an organization. Try again.');
    await tx.deleteFrom('users').where('id', '=', userId).execute();
  });
}

/** Must be called after `lockOrganization`. @returns false if the organization has no such member */
async function leave(tx: DatabaseTransaction, organizationId: string, userId: string): Promise<boolean> {
  const member = await findMember(tx, organizationId, userId);
  if (member === null) return false;
  await recordChange(tx, {
    of: { organizationId },
    action: 'member.remove',
    ...(await targetOf(tx, userId)),
    before: fieldsOf(member),
  });
  await tx
    .deleteFrom('memberships')
    .where((row) => rowIs(row, { organizationId, userId }))
    .execute();
  if (member.role === 'owner') await checkOwners(tx, organizationId, 'user');
  return true;
}

/** Deletes the given users unless they belong to an organization or are operators. */
export async function deleteStrandedUsers(
  tx: DatabaseTransaction,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  // Locks the users first. The lock waits for a transaction in which one of them accepts another invitation, so that the delete below sees
  // the new membership.
  await tx.selectFrom('users').select('id').where('id', 'in', userIds).orderBy('id').forUpdate().execute();
  await tx
    .deleteFrom('users')
    .where('id', 'in', userIds)
    .where('isOperator', '=', false)
    .where(sql<boolean>`not exists (select from memberships m where m.user_id = users.id)`)
    .execute();
}

/** Checks that the caller's role `by` is at least `role`. @throws AppError missing-role */
export function assertMay(by: Role, role: Role): void {
  if (isAtLeast(by, role)) return;
  throw new AppError('missing-role', `This requires the role ${role}. Your role is ${by}.`, {
    extensions: { required_role: role },
  });
}

/** @param field the request field that the error names */
async function checkOwners(tx: DatabaseTransaction, organizationId: string, field: string): Promise<void> {
  const owner = await tx
    .selectFrom('memberships')
    .select('userId')
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  if (owner === undefined)
    throw validationError({ [field]: 'is the last owner: make another member an owner first' });
}

async function setProjectRole(
  tx: DatabaseTransaction,
  of: { organizationId: string; userId: string; projectId: string },
  role: ProjectRole | null,
): Promise<void> {
  const { organizationId, projectId } = of;
  await tx
    .deleteFrom('projectRoles')
    .where((row) => rowIs(row, of))
    .execute();
  if (role === null) return;
  const project = await tx
    .selectFrom('projects')
    .select('id')
    .where((row) => rowIs(row, { organizationId, id: projectId }))
    .forKeyShare()
    .executeTakeFirst();
  if (project === undefined)
    throw validationError({ project_roles: 'contains a project that is not in the organization' });
  await tx
    .insertInto('projectRoles')
    .values({ ...of, role })
    .execute();
}

function membersOf(database: Database | DatabaseTransaction, organizationId: string) {
  return database
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.userId')
    .select(['m.userId', 'm.role', 'm.seesBodies', 'm.createdAt', 'u.email', 'u.name', 'u.signedInAt'])
    .select(
      sql<boolean>`exists (select from user_totp t where t.user_id = u.id)
        or exists (select from user_passkeys p where p.user_id = u.id)`.as('hasSecondFactor'),
    )
    .select(sql<boolean>`not ${isUnverified(sql`u`)}`.as('isVerified'))
    .select(
      sql<MemberRecord['projectRoles']>`coalesce(
        (select json_agg(json_build_object('projectId', r.project_id, 'role', r.role) order by r.project_id) from project_roles r
          where r.organization_id = m.organization_id and r.user_id = m.user_id), '[]')`.as('projectRoles'),
    )
    .where('m.organizationId', '=', organizationId);
}

function toMember({ userId, email, name, role, seesBodies, projectRoles, ...member }: MemberRecord): Member {
  return {
    user_id: encodeId('usr', userId),
    email,
    name,
    role,
    sees_bodies: seesBodies,
    project_roles: projectRoles.map((each) => ({
      project_id: encodeId('prj', each.projectId),
      role: each.role,
    })),
    is_verified: member.isVerified,
    has_second_factor: member.hasSecondFactor,
    last_signed_in_at: member.signedInAt?.toISOString() ?? null,
    created_at: member.createdAt.toISOString(),
  };
}

function fieldsOf({ role, seesBodies, projectRoles }: MemberRecord) {
  return {
    role,
    sees_bodies: seesBodies,
    project_roles: projectRoles.map((each) => `${encodeId('prj', each.projectId)}: ${each.role}`),
  };
}

export async function targetOf(tx: DatabaseTransaction, userId: string) {
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return { target: encodeId('usr', userId), targetName: email };
}
