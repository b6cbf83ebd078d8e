import type { Session } from '../../../src/contract/dashboard/session.ts';

/** An organization or installation that requires a stronger sign-in than the session has. */
export interface UnmetRequirement {
  /** The organization's name; null for the installation, whose requirement applies to its operators. */
  organization: string | null;
  required: 'second-factor' | 'openid';
}

/** The organizations, and the installation, that the session cannot access without a stronger sign-in. */
export function unmetRequirementsOf({
  organizations,
  user,
}: Pick<Session, 'organizations' | 'user'>): UnmetRequirement[] {
  return [
    ...organizations.flatMap(({ name, lacks }) =>
      lacks === null ? [] : [{ organization: name, required: lacks }],
    ),
    ...(user.operator_lacks === null ? [] : [{ organization: null, required: user.operator_lacks }]),
  ];
}

export function nameOfRequirement({ organization }: UnmetRequirement): string {
  return organization ?? 'System';
}
