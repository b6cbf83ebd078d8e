import type { Principal } from '../accounts/principal.ts';
import { AppError } from '../model/app-error.ts';

/** @throws AppError missing-role: a viewer who may not see the content of emails */
export function assertSeesBodies({ seesBodies }: Pick<Principal, 'seesBodies'>): void {
  if (seesBodies) return;
  throw new AppError(
    'missing-role',
    'You cannot see the content of emails. An admin can allow it, or make you a developer.',
    { extensions: { required_role: 'developer' } },
  );
}
