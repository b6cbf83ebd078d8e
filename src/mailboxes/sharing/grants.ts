/**
 * Grants: which mailboxes of a project may open another mailbox of the project, or send for it (docs/shared-mailboxes.md). No other code
 * decides who may open a mailbox that is not the caller's own.
 */
import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { MailboxSharing, ShareMailbox } from '../../contract/dashboard/sharing.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { rowsOf } from '../../db/rows.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import type { MailboxAccess, SendingRight } from '../../model/mailbox-rights.ts';
import { findMailbox } from '../find-mailbox.ts';
import { findSharable } from './service-mail.ts';
import { findSignInAddress } from './sign-in-addresses.ts';
import { addressOf } from '../local-part.ts';

interface MailboxId {
  projectId: string;
  mailboxId: string;
}

/** Limits how many names a mail app lists, and how many sessions one change ends. */
const MAX_MEMBERS = 100;
const MAX_MEMBERSHIPS = 100;

const GRANT = columnsOf({
  mailboxId: 'uuid',
  localPart: 'text',
  domain: 'text',
  displayName: 'text?',
  access: shaped<MailboxAccess>('text'),
  sending: shaped<SendingRight>('text'),
  createdAt: 'timestamptz',
});

/** A mailbox that was shared with a member, or a member of a shared mailbox. */
export interface Grant {
  mailboxId: string;
  /** In Unicode normalization form C. */
  address: string;
  displayName: string | null;
  access: MailboxAccess;
  sending: SendingRight;
  createdAt: Date;
}

function toGrant({ localPart, domain, ...row }: RowOf<typeof GRANT>): Grant {
  return { ...row, address: addressOf({ localPart, domain }) };
}

/** The mailboxes that the owner of a mailbox may open or send for, sorted by address. */
export async function readMemberships(
  database: Database,
  { projectId, mailboxId }: MailboxId,
): Promise<Grant[]> {
  const { rows } = await GRANT.sql`
    select m.id as mailbox_id, m.local_part, m.domain, m.display_name, g.access, g.sending, g.created_at
    from mailbox_grants g join mailboxes m on m.project_id = g.project_id and m.id = g.mailbox_id
    where g.project_id = ${projectId} and g.member_id = ${mailboxId} order by m.domain, m.local_part_key`.execute(
    database,
  );
  return rows.map(toGrant);
}

/** The mailboxes whose owners may open a mailbox or send for it, sorted by address. */
export async function readMembers(database: Database, { projectId, mailboxId }: MailboxId): Promise<Grant[]> {
  const { rows } = await GRANT.sql`
    select m.id as mailbox_id, m.local_part, m.domain, m.display_name, g.access, g.sending, g.created_at
    from mailbox_grants g join mailboxes m on m.project_id = g.project_id and m.id = g.member_id
    where g.project_id = ${projectId} and g.mailbox_id = ${mailboxId} order by m.domain, m.local_part_key`.execute(
    database,
  );
  return rows.map(toGrant);
}

const MEMBERS = rowsOf<MailboxId>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  member_id: ['uuid', ({ mailboxId }) => mailboxId],
});

const FOUND = columnsOf({ memberId: 'uuid', access: shaped<MailboxAccess>('text') });

/**
 * Finds out whether one of several mailboxes, whose owner is the caller, is a member of another mailbox.
 * @returns the first member with the most access; null if none of the mailboxes is a member
 */
export async function findGrant(
  database: Database,
  members: readonly MailboxId[],
  mailboxId: string,
): Promise<{ memberId: string; access: MailboxAccess } | null> {
  if (members.length === 0) return null;
  const { rows } = await FOUND.sql`
    select g.member_id, g.access from ${MEMBERS.from(members)} join mailbox_grants g
      on g.project_id = k.project_id and g.member_id = k.member_id and g.mailbox_id = ${mailboxId}`.execute(
    database,
  );
  const found = members.flatMap(({ mailboxId: id }) => rows.find(({ memberId }) => memberId === id) ?? []);
  return found.find(({ access }) => access === 'write') ?? found[0] ?? null;
}

/** The grants of a mailbox from both sides. @returns null if the project has no such mailbox */
export async function readSharing(database: Database, mailbox: MailboxId): Promise<MailboxSharing | null> {
  const { projectId, mailboxId } = mailbox;
  const found = await database
    .selectFrom('mailboxes')
    .select('isShared')
    .where((row) => rowIs(row, { projectId, id: mailboxId }))
    .executeTakeFirst();
  if (found === undefined) return null;
  const [members, memberships] = [
    await readMembers(database, mailbox),
    await readMemberships(database, mailbox),
  ];
  return {
    data: members.map(shown),
    shared_with_it: memberships.map(shown),
    is_shared: found.isShared,
  };
}

function shown({ mailboxId, address, displayName, access, sending, createdAt }: Grant) {
  return {
    mailbox_id: encodeId('mbx', mailboxId),
    address,
    display_name: displayName,
    access,
    sending,
    granted_at: createdAt.toISOString(),
  };
}

/**
 * Gives the owner of another mailbox of the project access, or replaces their rights.
 *
 * @throws AppError validation-failed, not-found
 */
export async function shareMailbox(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  { member, access, sending }: ShareMailbox,
): Promise<void> {
  const memberId = await findMember(database, projectId, member);
  if (memberId === mailboxId)
    throw validationError({ member: 'must be another mailbox, not the mailbox itself' });
  await database.transaction().execute(async (tx) => {
    // Both mailboxes are locked in one order, so that two owners who share with each other at the same time cannot deadlock. The lock on
    // the member makes grants to one member wait for each other, so that the limit is exact.
    await sql`
      select from mailboxes where project_id = ${projectId} and id in (${mailboxId}, ${memberId}) order by id for no key update`.execute(
      tx,
    );
    const shared = await findSharable(tx, { projectId, mailboxId });
    if (shared === null) throw new AppError('not-found', 'There is no such mailbox in the project.');
    await assertNoSignInAddress(tx, { projectId, mailboxId });
    const owner = await tx
      .selectFrom('mailboxes')
      .select(['localPart', 'domain', 'isShared'])
      .where((row) => rowIs(row, { projectId, id: memberId }))
      .executeTakeFirst();
    if (owner === undefined) throw validationError({ member: NO_MEMBER });
    if (owner.isShared)
      throw validationError({
        member: 'is a shared mailbox, which no one can sign in to; name the mailbox of a person',
      });
    const before = await tx
      .selectFrom('mailboxGrants')
      .select(['access', 'sending'])
      .where((row) => rowIs(row, { projectId, mailboxId, memberId }))
      .executeTakeFirst();
    if (before === undefined) await assertMayAdd(tx, projectId, mailboxId, memberId);
    await tx
      .insertInto('mailboxGrants')
      .values({ projectId, mailboxId, memberId, access, sending, createdAt: clock.now() })
      .onConflict((conflict) =>
        conflict.columns(['projectId', 'mailboxId', 'memberId']).doUpdateSet({ access, sending }),
      )
      .execute();
    const address = addressOf(owner);
    await recordChange(tx, {
      ...changeOf(projectId, 'share', mailboxId, shared.address),
      ...(before !== undefined && { before: { member: address, ...before } }),
      after: { member: address, access, sending },
    });
  });
}

/** Revokes the access of a member. Sessions that use it end within two seconds. @returns false if the mailbox has no such member */
export async function unshareMailbox(
  database: Database,
  { projectId, mailboxId }: MailboxId,
  member: string,
): Promise<boolean> {
  const memberId = await findMember(database, projectId, member);
  return database.transaction().execute(async (tx) => {
    // Locked before the grant, as in `shareMailbox`.
    await sql`select from mailboxes where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(
      tx,
    );
    const revoked = await tx
      .deleteFrom('mailboxGrants')
      .where((row) => rowIs(row, { projectId, mailboxId, memberId }))
      .returning(['access', 'sending'])
      .executeTakeFirst();
    if (revoked === undefined) return false;
    await sql`
      update mailboxes set unshared_at = clock_timestamp() where project_id = ${projectId} and id = ${mailboxId}`.execute(
      tx,
    );
    const addressIn = async (id: string): Promise<string> =>
      addressOf(
        await tx
          .selectFrom('mailboxes')
          .select(['localPart', 'domain'])
          .where((row) => rowIs(row, { projectId, id }))
          .executeTakeFirstOrThrow(),
      );
    await recordChange(tx, {
      ...changeOf(projectId, 'unshare', mailboxId, await addressIn(mailboxId)),
      before: { member: await addressIn(memberId), ...revoked },
    });
    return true;
  });
}

/**
 * Records that the mailboxes of a member are no longer shared with it. Call this before the member is deleted, which deletes its grants.
 */
export async function endMemberships(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxId,
): Promise<void> {
  const memberships = sql`(
    select g.mailbox_id from mailbox_grants g where g.project_id = ${projectId} and g.member_id = ${mailboxId})`;
  // The mailboxes are locked before the grants and in one order, as in `shareMailbox`, so that the two cannot deadlock.
  await sql`
    select from mailboxes where project_id = ${projectId} and (id = ${mailboxId} or id in ${memberships})
    order by id for no key update`.execute(tx);
  // A statement of its own, so that it also sees a grant that was committed while the first one waited for the lock.
  await sql`
    update mailboxes set unshared_at = clock_timestamp() where project_id = ${projectId} and id in ${memberships}`.execute(
    tx,
  );
}

const NO_MEMBER = 'must be the address of a mailbox of this project';

async function findMember(database: Database, projectId: string, member: string): Promise<string> {
  try {
    return await findMailbox(database, projectId, member);
  } catch (error) {
    if (error instanceof AppError) throw validationError({ member: NO_MEMBER });
    throw error;
  }
}

/**
 * Stops this attack: the owner of a mailbox, or an admin, gives another person the mail with which an account can be opened.
 * @throws AppError validation-failed
 */
async function assertNoSignInAddress(tx: DatabaseTransaction, mailbox: MailboxId): Promise<void> {
  const address = await findSignInAddress(tx, mailbox);
  if (address !== null)
    throw validationError({
      member: `cannot get access: a user signs in to the dashboard with ${address} or is invited with it, and a sign-in address is never shared. Share another mailbox, or change the address of the user`,
    });
}

async function assertMayAdd(
  tx: DatabaseTransaction,
  projectId: string,
  mailboxId: string,
  memberId: string,
): Promise<void> {
  const { members, memberships } = await tx
    .selectNoFrom((eb) => [
      eb
        .selectFrom('mailboxGrants')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('projectId', '=', projectId)
        .where('mailboxId', '=', mailboxId)
        .as('members'),
      eb
        .selectFrom('mailboxGrants')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('projectId', '=', projectId)
        .where('memberId', '=', memberId)
        .as('memberships'),
    ])
    .executeTakeFirstOrThrow();
  if ((members ?? 0) >= MAX_MEMBERS)
    throw validationError({
      member: `cannot be added: the mailbox already has ${MAX_MEMBERS} members; remove one first`,
    });
  if ((memberships ?? 0) >= MAX_MEMBERSHIPS)
    throw validationError({
      member: `already has access to ${MAX_MEMBERSHIPS} mailboxes; remove it from one first`,
    });
}

function changeOf(projectId: string, verb: 'share' | 'unshare', mailboxId: string, address: string) {
  const target = encodeId('mbx', mailboxId);
  return { of: { projectId }, action: `mailbox.${verb}`, target, targetName: address } as const;
}
