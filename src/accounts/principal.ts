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
  /** What the session has proved besides the password. */
  proof: SignInProof;
  /** Whether an authenticator app or a passkey is set up. */
  hasSecondFactor: boolean;
  /** The requirement for operators, if the session does not meet it; null otherwise, and if the user is not an operator. */
  operatorMissing: SignInRequirement | null;
  /** Whether an organisation of the user or the operator role has a sign-in requirement, and the session has proved no second factor. */
  lacksSecondFactor: boolean;
  /** The requirement that blocks the session everywhere; null: at least one organisation or role is open to it. */
  missingEverywhere: SignInRequirement | null;
  /** The time of the user's last sign-in or confirmation. */
  confirmedAt: Date;
}

/** A signed-in user in the context of an organisation or one of its projects. */
export interface Principal extends SignedInUser {
  /** uuid. The nil uuid where an operation is not about an organisation. */
  organizationId: string;
  /** The user's role in the organisation; `viewer` where an operation is not about an organisation. */
  role: Role;
  /** Whether the user may see the content of emails: all roles but viewers, and viewers who are allowed to. */
  seesBodies: boolean;
}
