import type { OpenId } from '../../../../accounts/factors/openid.ts';
import { AppError, validationError } from '../../../../model/app-error.ts';
import type { SignInRequirement } from '../../../../model/sign-in-requirements.ts';
import type { DashboardServices } from '../services.ts';

/** @throws AppError not-found: no provider is set up */
export function openIdOf({ parts }: Pick<DashboardServices, 'parts'>): OpenId {
  const { openid } = parts.userFactors;
  if (openid !== null) return openid;
  throw new AppError('not-found', 'No OpenID provider is set up here (POSTHORN_OIDC_ISSUER).');
}

/** Otherwise no one could meet the requirement. @throws AppError validation-failed: no provider is set up */
export function assertProvider(
  { parts }: Pick<DashboardServices, 'parts'>,
  required: SignInRequirement | null,
): void {
  if (required === 'openid' && parts.userFactors.openid === null)
    throw validationError({
      required: 'needs an OpenID provider, and none is set up (POSTHORN_OIDC_ISSUER)',
    });
}
