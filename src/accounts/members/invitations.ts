/** Invitations: links with which a user joins an organization. */
import { sql } from 'kysely';
import type { CreatedInvitation, InvitationList } from '../../contract/dashboard/organizations.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { isAtLeast, type Role } from '../../model/roles.ts';
import { recordChange } from '../audit.ts';
import { INVITATION_HOURS, MAX_INVITATIONS } from '../limits.ts';
import { assertMay, type Membership } from './memberships.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { insertLink } from '../sign-in-links.ts';
import { checkedEmail } from '../users.ts';

/**
 * The lowest role that can read mailboxes of an organization, because an admin can set a mailbox's password, app passwords and forwarding
 * (docs/roles.md).
 */
export const READS_MAILBOXES: Role = 'admin';

interface Inviter {
  /** The inviter's role. The invited person cannot get a higher role. */
  role: Role;
  /** Whether the inviter is an operator of the installation. */
  isOperator: boolean;
  /** The inviter's name, which is shown to the invited person. */
  name: string;
}

/**
 * Creates an invitation link. An earlier link for the same address stops working.
 * @param readers uuids of the organizations whose admins can read the mailbox of the address; null if the mailbox is not on this server
 * @param assertNotShared throws if several people can open the mailbox of the address
 * @returns the invitation, and the token of its link (`linkUrl`)
 * @throws AppError validation-failed, missing-role, already-exists
 */
export async function invite(
  database: Database,
  organizationId: string,
  inviter: Inviter,
  invited: Membership & { email: string },
  readers: readonly string[] | null,
  assertNotShared: (tx: DatabaseTransaction, email: string, organizationId: string | null) => Promise<void>,
): Promise<{ invitation: Omit<CreatedInvitation, 'url' | 'is_mailed'>; linkId: string; token: string }> {
  const { role, seesBodies } = invited;
  const { email, key } = checkedEmail(invited.email);
  assertMay(inviter.role, role);
  const awaitsConfirmation = readers !== null && !mayInviteReadable(inviter, role, readers, organizationId);
  return database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    await assertNotShared(tx, email, organizationId);
    const member = await tx
      .selectFrom('memberships as m')
      .innerJoin('users as u', 'u.id', 'm.userId')
      .select('u.id')
      .where('m.organizationId', '=', organizationId)
      .where('u.emailKey', '=', key)
      .executeTakeFirst();
    if (member !== undefined)
      throw new AppError('already-exists', 'The user already belongs to the organization.', {
        errors: { email: 'already belongs to the organization' },
      });
    await tx
      .deleteFrom('signInLinks')
      .where((row) => rowIs(row, { organizationId, emailKey: key }))
      .execute();
    const { count } = await tx
      .selectFrom('signInLinks')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('organizationId', '=', organizationId)
      .executeTakeFirstOrThrow();
    if (count >= MAX_INVITATIONS)
      throw validationError({
        email: `the organization has ${MAX_INVITATIONS} open invitations, which is the limit: withdraw some first`,
      });
    const link = await insertLink(tx, 'invitation', INVITATION_HOURS, {
      organizationId,
      email,
      emailKey: key,
      role,
      seesBodies,
      madeBy: inviter.name,
      awaitsConfirmation,
    });
    await recordChange(tx, {
      of: { organizationId },
      action: 'invitation.create',
      target: encodeId('inv', link.id),
      targetName: email,
      after: {
        role,
        sees_bodies: seesBodies,
        ...(awaitsConfirmation && { awaits_confirmation: true }),
      },
    });
    const invitation = {
      id: encodeId('inv', link.id),
      email,
      role,
      sees_bodies: seesBodies,
      invited_by: inviter.name,
      awaits_confirmation: awaitsConfirmation,
      created_at: link.createdAt.toISOString(),
      expires_at: link.expiresAt.toISOString(),
    };
    return { invitation, linkId: link.id, token: link.token };
  });
}

/**
 * Whether the inviter may invite an address whose mailbox other people can read. Attack: one of these people opens the link in the
 * invitation mail and gets the role. An admin may therefore invite such an address only if the mailbox can be read in this organization
 * alone, and the role is not higher than `READS_MAILBOXES`, the role of its readers. Otherwise an owner or an operator has to confirm the
 * invitation.
 * @param readers uuids of the organizations whose admins can read the mailbox
 */
function mayInviteReadable(
  { role: ofInviter, isOperator }: Inviter,
  role: Role,
  readers: readonly string[],
  organizationId: string,
): boolean {
  if (ofInviter === 'owner' || isOperator) return true;
  const isReadHereAlone = readers.length > 0 && readers.every((id) => id === organizationId);
  return isReadHereAlone && isAtLeast(READS_MAILBOXES, role);
}

/** Invitations whose links have not expired. */
export async function listInvitations(database: Database, organizationId: string): Promise<InvitationList> {
  const rows = await database
    .selectFrom('signInLinks')
    .select(['id', 'email', 'role', 'seesBodies', 'madeBy', 'awaitsConfirmation', 'createdAt', 'expiresAt'])
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('id')
    .execute();
  return {
    data: rows.map(({ id, email, role, seesBodies, madeBy, awaitsConfirmation, createdAt, expiresAt }) => ({
      id: encodeId('inv', id),
      email: email ?? '',
      role: role ?? 'viewer',
      sees_bodies: seesBodies,
      invited_by: madeBy ?? '',
      awaits_confirmation: awaitsConfirmation,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    })),
  };
}

/**
 * Confirms an invitation, so that its link works. For owners and operators.
 * @returns false if the organization has no such invitation that awaits confirmation
 */
export async function confirmInvitation(
  database: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const confirmed = await tx
      .updateTable('signInLinks')
      .set({ awaitsConfirmation: false })
      .where((row) => rowIs(row, { organizationId, id, awaitsConfirmation: true }))
      .returning('email')
      .executeTakeFirst();
    if (confirmed === undefined) return false;
    await recordChange(tx, {
      of: { organizationId },
      action: 'invitation.confirm',
      target: encodeId('inv', id),
      targetName: confirmed.email ?? '',
    });
    return true;
  });
}

/** Withdraws an invitation, so that its link stops working. @returns false if the organization has no such invitation */
export async function withdrawInvitation(
  database: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const removed = await tx
      .deleteFrom('signInLinks')
      .where((row) => rowIs(row, { organizationId, id }))
      .returning('email')
      .executeTakeFirst();
    if (removed === undefined) return false;
    await recordChange(tx, {
      of: { organizationId },
      action: 'invitation.delete',
      target: encodeId('inv', id),
      targetName: removed.email ?? '',
    });
    return true;
  });
}
