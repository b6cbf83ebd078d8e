import type { Role } from '../model/roles.ts';

/** Somebody who is signed in to the dashboard. */
export interface SignedInUser {
  kind: 'user';
  /** uuid */
  userId: string;
  /** uuid */
  sessionId: string;
  email: string;
  name: string;
  /** Of the installation. */
  isOperator: boolean;
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
