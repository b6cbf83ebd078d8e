import type { OpenId } from '../../../../accounts/factors/openid.ts';
import { AppError } from '../../../../model/app-error.ts';
import type { DashboardServices } from '../services.ts';

/** @throws AppError not-found: no provider is set up */
export function openIdOf({ factors }: Pick<DashboardServices, 'factors'>): OpenId {
  if (factors.openid !== null) return factors.openid;
  throw new AppError('not-found', 'No OpenID provider is set up here (POSTHORN_OIDC_ISSUER).');
}
