/** Descriptions of the roles (docs/roles.md). */
import { isAtLeast } from '../../shell/session.ts';
import type { Role } from './queries.ts';

export const ROLES: readonly { role: Role; name: string; may: string }[] = [
  { role: 'owner', name: 'Owner', may: 'Full access, including appointing owners and deleting projects.' },
  { role: 'admin', name: 'Admin', may: 'Manages people, projects and settings, and reads the audit log.' },
  { role: 'developer', name: 'Developer', may: 'Manages API keys, domains, webhooks and templates.' },
  { role: 'viewer', name: 'Viewer', may: 'Read-only access.' },
];

export function nameOfRole(role: string): string {
  return ROLES.find((each) => each.role === role)?.name ?? 'None';
}

/** The roles that a user can grant: roles up to the user's own role. */
export function rolesFor(own: Role): typeof ROLES {
  return ROLES.filter(({ role }) => isAtLeast(own, role));
}
