/** The requirements that an organisation can set for its members' sign-ins, and the installation for its operators' sign-ins (docs/dashboard.md). */

/** `second-factor`: a code or a passkey, or a sign-in at the OpenID provider. `openid`: a sign-in at the OpenID provider. */
export const SIGN_IN_REQUIREMENTS = ['second-factor', 'openid'] as const;
export type SignInRequirement = (typeof SIGN_IN_REQUIREMENTS)[number];

/** The proofs of a session in addition to the password. */
export interface SignInProof {
  /** The user signed in with a code, a recovery code or a passkey, and still has a second factor. */
  withSecondFactor: boolean;
  withOpenid: boolean;
}

/** @param required null if nothing is required */
export function meets(
  { withSecondFactor, withOpenid }: SignInProof,
  required: SignInRequirement | null,
): boolean {
  return required === null || withOpenid || (required === 'second-factor' && withSecondFactor);
}
