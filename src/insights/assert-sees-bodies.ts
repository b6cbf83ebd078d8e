import type { Principal } from '../accounts/principal.ts';
import { AppError } from '../model/app-error.ts';

/** @throws AppError missing-role if the viewer may not see the content of emails */
export function assertSeesBodies({ seesBodies }: Pick<Principal, 'seesBodies'>): void {
  if (seesBodies) return;
  throw new AppError(
    'missing-role',
    'Your role cannot see the content of emails. An admin can give you access.',
    { extensions: { required_role: 'developer' } },
  );
}
