import type { Session } from '../../../src/contract/dashboard/session.ts';

/** One that requires more than the session has proved. */
export interface Lack {
  /** Of the organisation; null: the installation, of its operators. */
  organization: string | null;
  required: 'second-factor' | 'openid';
}

/** What is shut to the session until it has proved more. */
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
