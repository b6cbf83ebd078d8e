/** Descriptions of the roles (docs/roles.md). */
import { isAtLeast } from '../../shell/session.ts';
import type { Role } from './queries.ts';

export const ROLES: readonly { role: Role; name: string; may: string }[] = [
  { role: 'owner', name: 'Owner', may: 'Everything, also to make others owners and to delete projects.' },
  { role: 'admin', name: 'Admin', may: 'Runs it: people, projects, settings, the audit log.' },
  { role: 'developer', name: 'Developer', may: 'Builds with it: API keys, domains, webhooks, templates.' },
  { role: 'viewer', name: 'Viewer', may: 'Looks, and changes nothing.' },
];

export function nameOfRole(role: string): string {
  return ROLES.find((each) => each.role === role)?.name ?? 'None';
}

/** Users can grant only roles up to their own. */
export function rolesFor(own: Role): typeof ROLES {
  return ROLES.filter(({ role }) => isAtLeast(own, role));
}
