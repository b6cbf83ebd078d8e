/** Requirements for signing in. An organization can set one for its members, and an installation for its operators (docs/dashboard.md). */

/** `second-factor`: a code or a passkey, or a sign-in at the OpenID provider. `openid`: a sign-in at the OpenID provider. */
export const SIGN_IN_REQUIREMENTS = ['second-factor', 'openid'] as const;
export type SignInRequirement = (typeof SIGN_IN_REQUIREMENTS)[number];

/** The proofs that the user of a session has given in addition to the password. */
export interface SignInProof {
  /** The user signed in with a code, a recovery code or a passkey, and still has a second factor. */
  withSecondFactor: boolean;
  withOpenid: boolean;
}

/** Whether a session meets a requirement. @param required null if there is no requirement */
export function meets(
  { withSecondFactor, withOpenid }: SignInProof,
  required: SignInRequirement | null,
): boolean {
  return required === null || withOpenid || (required === 'second-factor' && withSecondFactor);
}
