/** Maps accounts at an OpenID provider to users. A sign-in creates no user unless the address has been invited. */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../../model/ids.ts';
import { addMember } from '../members/memberships.ts';
import { lockOrganization } from '../organizations/organizations.ts';
import { recordUserChange } from '../user-changes.ts';
import { readUserEmail } from '../user-email.ts';
import { createUser, findUserByKey } from '../users.ts';
import { assertNotRequired } from '../required-sign-in.ts';
import { clearUnverified } from './clear-unverified.ts';
import { hasSecondFactor, lockFactors, readFactors, settleRemoval } from './factors.ts';
import { USERS } from './user-realm.ts';

/** A user as described by the provider. */
export interface ProviderUser {
  issuer: string;
  /** The provider's identifier for the user. The identifier never changes and is never reassigned (OpenID Connect Core 1.0, section 2). */
  subject: string;
  email: string | null;
  name: string | null;
  /** Whether the provider has verified that the address belongs to the user. */
  isEmailVerified: boolean;
}

export interface IdentityRecord {
  /** uuid */
  id: string;
  issuer: string;
  email: string;
  createdAt: Date;
  usedAt: Date;
}

export class UserIdentities {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(userId: string): Promise<IdentityRecord[]> {
    return this.#database
      .selectFrom('userIdentities')
      .select(['id', 'issuer', 'email', 'createdAt', 'usedAt'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute();
  }

  /**
   * Signs in with an account at the provider. At the first sign-in, looks for a user or an invitation with the address that the provider
   * has verified, and links the account to that user. If the user was unverified, their password, sessions and second factors are removed,
   * and the user becomes verified. Later sign-ins find the user by the provider's `subject`.
   * @returns uuid of the user; null if no user or invitation matches, or if the user is linked to another account at the same provider
   */
  async signIn({ issuer, subject, email, isEmailVerified, name }: ProviderUser): Promise<string | null> {
    return this.#database.transaction().execute(async (tx) => {
      const known = await tx
        .updateTable('userIdentities')
        .set({ usedAt: clock.now() })
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .returning('userId')
        .executeTakeFirst();
      if (known !== undefined) return known.userId;
      // Attack: some providers let anyone claim any address.
      const key = isEmailVerified && email !== null ? readUserEmail(email)?.key : undefined;
      if (email === null || key === undefined) return null;
      const invited = await acceptAll(tx, key, name);
      const userId = invited ?? (await findUserByKey(tx, key))?.id;
      return userId === undefined ? null : this.#link(tx, userId, { issuer, subject, email });
    });
  }

  /** @returns uuid of the user; null if the user is linked to another account at the same provider, which they must unlink first */
  async #link(
    tx: DatabaseTransaction,
    userId: string,
    { issuer, subject, email }: Pick<ProviderUser, 'issuer' | 'subject'> & { email: string },
  ): Promise<string | null> {
    await lockFactors(tx, USERS, userId);
    const other = await tx
      .selectFrom('userIdentities')
      .select('id')
      .where((row) => rowIs(row, { userId, issuer }))
      .executeTakeFirst();
    // Attack: the provider has given the address of the linked account to another person.
    if (other !== undefined) return null;
    const id = newUuid();
    const at = timeOf(id);
    await tx
      .insertInto('userIdentities')
      .values({ userId, id, issuer, subject, email, createdAt: at, usedAt: at })
      .execute();
    // Attack: the person who created the account may not be the owner of the address.
    await clearUnverified(tx, userId);
    await recordUserChange(tx, userId, {
      action: 'user.link-openid',
      after: { issuer, email, id: encodeId('idn', id) },
    });
    return userId;
  }

  async isOf(
    userId: string,
    { issuer, subject }: Pick<ProviderUser, 'issuer' | 'subject'>,
  ): Promise<boolean> {
    const found = await this.#database
      .selectFrom('userIdentities')
      .select('id')
      .where((row) => rowIs(row, { userId, issuer, subject }))
      .executeTakeFirst();
    return found !== undefined;
  }

  /**
   * @returns false if the user has no such account
   * @throws AppError validation-failed if the account is the last sign-in method, or is required
   */
  async remove(userId: string, id: string): Promise<boolean> {
    return this.#database.transaction().execute(async (tx) => {
      await lockFactors(tx, USERS, userId);
      const removed = await tx
        .deleteFrom('userIdentities')
        .where((row) => rowIs(row, { userId, id }))
        .returning(['issuer', 'email'])
        .executeTakeFirst();
      if (removed === undefined) return false;
      const left = await readFactors(tx, USERS, userId);
      await assertNotRequired(
        tx,
        userId,
        { hasSecondFactor: hasSecondFactor(left), identities: left.identities },
        'openid',
      );
      await settleRemoval(tx, USERS, userId);
      await recordUserChange(tx, userId, { action: 'user.unlink-openid', before: removed });
      return true;
    });
  }
}

/**
 * Accepts all invitations to the address, except invitations that await confirmation. If the address has no account, creates an account
 * without a password.
 * @returns uuid of the user; null if there is no invitation
 */
async function acceptAll(
  tx: DatabaseTransaction,
  emailKey: string,
  name: string | null,
): Promise<string | null> {
  const invitations = await tx
    .selectFrom('signInLinks')
    .select(['id', 'organizationId', 'email', 'role', 'seesBodies'])
    .where('purpose', '=', 'invitation')
    .where('emailKey', '=', emailKey)
    .where('expiresAt', '>', clock.now())
    .where('awaitsConfirmation', '=', false)
    .orderBy('organizationId')
    .execute();
  let userId: string | null = null;
  for (const { id, organizationId, email, role, seesBodies } of invitations) {
    if (organizationId === null || email === null || role === null) continue;
    await lockOrganization(tx, organizationId);
    const { numDeletedRows } = await tx.deleteFrom('signInLinks').where('id', '=', id).executeTakeFirst();
    // The invitation has just been used or withdrawn.
    if (numDeletedRows !== 1n) continue;
    userId ??= (await findUserByKey(tx, emailKey))?.id ?? null;
    userId ??= await createUser(tx, {
      email,
      passwordHash: null,
      isOperator: false,
      name: name ?? email.slice(0, email.lastIndexOf('@')),
    });
    await addMember(tx, organizationId, userId, { role, seesBodies });
  }
  return userId;
}
