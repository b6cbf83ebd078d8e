/** The lowest role that may grant each scope, derived from the operations that modules declare for the API and the dashboard. */
import type { LeastRoles } from '../../accounts/keys/least-roles.ts';
import type { DashboardDoor, Declaration } from '../../contract/operation.ts';
import { isAtLeast, ROLES, type Role } from '../../model/roles.ts';
import { SCOPES, type Scope } from '../../model/scopes.ts';

interface Declaring {
  operations: Readonly<Record<string, Pick<Declaration, 'doors'>>>;
}

/**
 * A role can grant a scope if the role may create keys and may call the dashboard counterpart of every API operation under the scope.
 * Attack: a developer who may not delete mailboxes creates a key that may delete mailboxes.
 * @throws TypeError if an API operation has no dashboard counterpart with a role, or if a scope has no operation
 */
export function leastRolesOf(modules: readonly Declaring[]): LeastRoles {
  const twins = new Map<string, DashboardDoor>();
  const api: { scope: Scope; twin: string }[] = [];
  for (const [name, { doors }] of modules.flatMap(({ operations }) => Object.entries(operations))) {
    const dashboardId = doors.dashboard?.id ?? name;
    if (doors.dashboard !== undefined) twins.set(dashboardId, doors.dashboard);
    if (doors.api !== undefined) api.push({ scope: doors.api.scope, twin: doors.api.twin ?? dashboardId });
  }
  const roleOf = (id: string): Role => {
    const twin = twins.get(id);
    const role = ROLES.find((each) => each === twin?.role);
    if (twin === undefined || role === undefined)
      throw new TypeError(`the dashboard has no operation ${id} that takes a role`);
    return higher(role, twin.elevated?.role ?? role);
  };
  const creatorRole = roleOf('createApiKey');
  const leastFor = (scope: Scope): Role => {
    const under = api.filter((operation) => operation.scope === scope);
    if (under.length === 0) throw new TypeError(`no operation takes the scope ${scope}`);
    return under.map(({ twin }) => roleOf(twin)).reduce(higher, creatorRole);
  };
  const scopes = new Map(SCOPES.map((scope) => [scope, leastFor(scope)]));
  return { scopes, fullAccess: [...scopes.values()].reduce(higher, creatorRole) };
}

function higher(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? one : other;
}
