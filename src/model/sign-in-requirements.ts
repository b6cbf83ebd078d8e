/** What an organisation can require of its members' sign-ins, and the installation of its operators' (docs/dashboard.md). */

/** `second-factor`: a code or a passkey, or a sign-in at the OpenID provider. `openid`: a sign-in at the OpenID provider. */
export const SIGN_IN_REQUIREMENTS = ['second-factor', 'openid'] as const;
export type SignInRequirement = (typeof SIGN_IN_REQUIREMENTS)[number];

/** What a session has proved in addition to the password. */
export interface SignInProof {
  /** With a code, a recovery code or a passkey, and the user still has a second factor. */
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
