/** What people may do in an organisation, and in its projects (docs/roles.md). */

/** From the one that may do most to the one that may do least. */
export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** A project may give somebody less than the organisation does. `none`: it is unknown to them. */
export const PROJECT_ROLES = [...ROLES, 'none'] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** Whether a role may do what `needed` may. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}

/**
 * What somebody is in a project: the lower of their role in the organisation and of the one that the project gives them.
 * @param inProject null: the project says nothing of them
 * @returns null: the project is unknown to them
 */
export function roleInProject(inOrganization: Role, inProject: ProjectRole | null): Role | null {
  if (inProject === 'none') return null;
  return inProject === null || isAtLeast(inProject, inOrganization) ? inOrganization : inProject;
}
