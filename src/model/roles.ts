/** The roles of members in an organization and in its projects (docs/roles.md). */

/** The roles, from most to least powerful. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The roles of a member in a project. They may be lower than the role in the organization. `none` hides the project from the member. */
export const PROJECT_ROLES = [...ROLES, 'none'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** Whether a role includes the rights of `needed`. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}

/**
 * The effective role of a member in a project: the lower of the member's roles in the organization and in the project.
 * @param inProject null if the project sets no role for the member
 * @returns null if the project is hidden from the member
 */
export function roleInProject(inOrganization: Role, inProject: ProjectRole | null): Role | null {
  if (inProject === 'none') return null;
  return inProject === null || isAtLeast(inProject, inOrganization) ? inOrganization : inProject;
}
