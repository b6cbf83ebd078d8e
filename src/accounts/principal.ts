import type { Role } from '../model/roles.ts';
import type { SignInProof, SignInRequirement } from '../model/sign-in-requirements.ts';

/** Somebody who is signed in to the dashboard. */
export interface SignedInUser {
  kind: 'user';
  /** uuid */
  userId: string;
  /** uuid */
  sessionId: string;
  email: string;
  name: string;
  /** Of the installation. False too while the session has not proved what the installation requires of its operators. */
  isOperator: boolean;
  /** What the session has proved beside the password. */
  proof: SignInProof;
  /** An authenticator app or a passkey is set up. */
  hasSecondFactor: boolean;
  /** What the session lacks for the duties of an operator; null: nothing, or the user is no operator. */
  operatorLacks: SignInRequirement | null;
  /** It is required somewhere that the user belongs, and the session has proved no second factor. */
  lacksSecondFactor: boolean;
  /** What the session lacks everywhere the user belongs; null: something is open to it. */
  lacksEverywhere: SignInRequirement | null;
  /** When it was last sure that it is the user who sits there. */
  confirmedAt: Date;
}

/** The same, where an operation is about an organisation or one of its projects. */
export interface Principal extends SignedInUser {
  /** uuid. The nil uuid where an operation is about none. */
  organizationId: string;
  /** What they are there; where an operation is about no organisation, a viewer. */
  role: Role;
  /** Whether they are shown what emails say: everybody but viewers, and those of them who are allowed to. */
  seesBodies: boolean;
}
