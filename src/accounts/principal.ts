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
  /** Whether the user is an operator of the installation. False while the session has not proved what is required of operators. */
  isOperator: boolean;
  /** What the session has proved besides the password. */
  proof: SignInProof;
  /** Whether an authenticator app or a passkey is set up. */
  hasSecondFactor: boolean;
  /** The requirement for operators that the session does not meet; null: none, or the user is not an operator. */
  operatorMissing: SignInRequirement | null;
  /** An organisation of the user or the operator role requires a sign-in, and the session has proved no second factor. */
  lacksSecondFactor: boolean;
  /** The requirement that blocks the session everywhere; null: at least one organisation or role is open to it. */
  missingEverywhere: SignInRequirement | null;
  /** When the user last proved who they are. */
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
