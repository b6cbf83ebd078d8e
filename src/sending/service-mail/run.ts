/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { invite } from '../../accounts/members/invitations.ts';
import { linkUrl } from '../../accounts/link-url.ts';
import { resetMemberSecondFactor } from '../../accounts/members/member-access.ts';
import type { CreatedInvitation } from '../../contract/dashboard/organizations.ts';
import type { Database } from '../../db/database.ts';
import { findLocal } from '../../mailboxes/local-addresses.ts';
import { assertNotShared } from '../../mailboxes/sharing/sign-in-addresses.ts';
import { AppError } from '../../model/app-error.ts';
import type { AccountMail } from './account-mail.ts';
import type { SERVICE_MAIL_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface ServiceMailParts {
  database: Database;
  accountMail: Pick<
    AccountMail,
    'requestReset' | 'takeInvitation' | 'sendInvitation' | 'notifySecondFactorOff'
  >;
  /** The base URL of links. */
  baseUrl: () => string;
}

export const run: Run<typeof SERVICE_MAIL_OPERATIONS, ServiceMailParts> = {
  createInvitation: async (
    { database, accountMail, baseUrl },
    { principal, body },
  ): Promise<CreatedInvitation> => {
    const { organizationId } = principal;
    const { email, role, sees_bodies: seesBodies = false } = body;
    const retryAfterSeconds = await accountMail.takeInvitation(organizationId, email);
    if (retryAfterSeconds > 0)
      throw new AppError(
        'rate-limited',
        'Several invitations were already sent to this address. Pass on the link of the last one, or try again later.',
        { retryAfterSeconds },
      );
    const local = await findLocal(database, email);
    const readers = local?.organizationIds ?? null;
    const invited = { email, role, seesBodies };
    const { invitation, linkId, token } = await invite(
      database,
      organizationId,
      principal,
      invited,
      readers,
      assertNotShared,
    );
    if (local === null) accountMail.sendInvitation(linkId);
    return { ...invitation, is_mailed: local === null, url: linkUrl(baseUrl(), 'invitation', token) };
  },
  resetMemberSecondFactor: async ({ database, accountMail }, { principal, id }) => {
    const wasOn = await resetMemberSecondFactor(database, principal, id);
    if (wasOn === true) accountMail.notifySecondFactorOff(id, principal.name);
    return wasOn === null ? null : true;
  },
};
