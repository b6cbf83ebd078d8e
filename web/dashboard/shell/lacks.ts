import type { Session } from '../../../src/contract/dashboard/session.ts';

/** An organization or installation that requires a stronger sign-in than the session has. */
export interface Lack {
  /** The organization's name; null for the installation, whose requirement applies to its operators. */
  organization: string | null;
  required: 'second-factor' | 'openid';
}

/** The organizations, and the installation, that the session cannot access without a stronger sign-in. */
export function lacksOf({ organizations, user }: Pick<Session, 'organizations' | 'user'>): Lack[] {
  return [
    ...organizations.flatMap(({ name, lacks }) =>
      lacks === null ? [] : [{ organization: name, required: lacks }],
    ),
    ...(user.operator_lacks === null ? [] : [{ organization: null, required: user.operator_lacks }]),
  ];
}

export function nameOfLack({ organization }: Lack): string {
  return organization ?? 'System';
}
