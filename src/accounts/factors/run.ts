/** Implements the operations of `operations.ts`. */
import type { Run } from '../calls.ts';
import { afterEnrollment } from './after-enrollment.ts';
import type { Database } from '../../db/database.ts';
import { describeAccount, describePasskey } from './describe-account.ts';
import type { UserFactors } from './user-factors.ts';
import type { AssertSignedIn } from './factors.ts';
import { assertSession, confirmSession } from '../sessions.ts';
import { pendingSignIn } from './pending-sign-in.ts';
import { AppError } from '../../model/app-error.ts';
import type { FACTOR_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface FactorParts {
  database: Database;
  userFactors: UserFactors;
}

export const run: Run<typeof FACTOR_OPERATIONS, FactorParts> = {
  getSignInWays: ({ userFactors }) => userFactors.ways(),
  askConfirmationPasskey: ({ userFactors }, { principal }) =>
    userFactors.passkeys.startProving(principal.userId),
  askPasskey: async ({ userFactors: { second, passkeys } }, { body: { ticket } }) =>
    passkeys.startProving(ticket === undefined ? null : (await pendingSignIn(second, ticket)).id),
  startOpenId: ({ userFactors }, { body }) =>
    userFactors.provider().start({ returnTo: body.return_to, confirms: null }),
  startOpenIdConfirmation: ({ userFactors }, { principal, body }) =>
    userFactors.provider().start({ returnTo: body.return_to, confirms: principal.sessionId }),
  finishOpenIdConfirmation: async ({ database, userFactors }, { principal, body }) => {
    const { ticket, query } = body;
    const returnTo = await userFactors.provider().confirm(ticket, query, principal);
    await confirmSession(database, principal, { withOpenid: true });
    return { next: 'done', return_to: returnTo };
  },
  getAccount: ({ database, userFactors }, { principal }) =>
    describeAccount({ database, ...userFactors }, principal.userId),
  startTotp: ({ userFactors }, { principal }) =>
    userFactors.second.startTotp(principal.userId, principal.email),
  confirmTotp: async ({ database, userFactors }, { principal, body }) => {
    const { ticket, code } = body;
    const { userId } = principal;
    const assertSignedIn: AssertSignedIn = (tx) => assertSession(tx, principal);
    const recoveryCodes = await userFactors.second.confirmTotp(userId, ticket, code, assertSignedIn);
    await afterEnrollment(database, principal, recoveryCodes !== null);
    return { recovery_codes: recoveryCodes };
  },
  removeTotp: async ({ userFactors }, { principal }) => {
    if (await userFactors.second.removeTotp(principal.userId)) return;
    throw new AppError('not-found', 'No authenticator app is set up.');
  },
  makeRecoveryCodes: async ({ userFactors }, { principal }) => ({
    recovery_codes: await userFactors.second.newRecoveryCodes(principal.userId),
  }),
  startPasskey: ({ userFactors }, { principal }) =>
    userFactors.passkeys.startAdding(principal.userId, principal),
  addPasskey: async ({ database, userFactors }, { principal, body: { name, ...answer }, origin }) => {
    const { passkey, recoveryCodes } = await userFactors.passkeys.add(
      principal.userId,
      name,
      { ...answer, origin },
      (tx) => assertSession(tx, principal),
    );
    await afterEnrollment(database, principal, recoveryCodes !== null);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
  renamePasskey: ({ userFactors }, { principal, id, body }) =>
    userFactors.passkeys.rename(principal.userId, id, body.name),
  removePasskey: ({ userFactors }, { principal, id }) => userFactors.passkeys.remove(principal.userId, id),
  unlinkIdentity: ({ userFactors }, { principal, id }) => userFactors.identities.remove(principal.userId, id),
};
