import type { Role } from '../model/roles.ts';
import type { SignInProof, SignInRequirement } from '../model/sign-in-requirements.ts';

/** A user who is signed in to the dashboard. */
export interface SignedInUser {
  kind: 'user';
  /** uuid */
  userId: string;
  /** uuid */
  sessionId: string;
  email: string;
  name: string;
  /** Whether the user is an operator of the installation. False until the session meets the sign-in requirement for operators. */
  isOperator: boolean;
  /** The proofs that the user gave in this session, in addition to the password. */
  proof: SignInProof;
  /** Whether an authenticator app or a passkey is set up. */
  hasSecondFactor: boolean;
  /** The sign-in requirement for operators, if the user is an operator and the session does not meet the requirement; otherwise null. */
  operatorMissing: SignInRequirement | null;
  /** Whether an organization of the user or the operator role has a sign-in requirement, and the session has proved no second factor. */
  lacksSecondFactor: boolean;
  /** The requirement that blocks the session everywhere; null if the session may access at least one organization or role. */
  missingEverywhere: SignInRequirement | null;
  /** The time of the user's last sign-in or confirmation. */
  confirmedAt: Date;
}

/** A signed-in user in the context of an organization or one of its projects. */
export interface Principal extends SignedInUser {
  /** The uuid of the organization; the nil uuid where an operation is not about an organization. */
  organizationId: string;
  /** The user's role in the organization; `viewer` where an operation is not about an organization. */
  role: Role;
  /** Whether the user may see the content of emails. Viewers need a permission for this; all other roles have it. */
  seesBodies: boolean;
}
