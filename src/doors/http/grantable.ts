/** Which role may grant which scope: computed from the operations of the API and those of the dashboard, so that no list falls behind. */
import type { LeastRoles } from '../../accounts/least-roles.ts';
import { isAtLeast, ROLES, type Role } from '../../model/roles.ts';
import { SCOPES, type Scope } from '../../model/scopes.ts';
import type { DashboardOperation } from './dashboard/operation.ts';
import { DASHBOARD_OPERATIONS } from './dashboard/operations.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './v1/operations.ts';

type Twin = Pick<DashboardOperation, 'operationId' | 'role' | 'elevated'>;

/**
 * A role may grant a scope if it may make keys and call the twin of every operation under the scope. Attack: a developer who cannot delete a
 * mailbox makes a key that can.
 * @throws TypeError an operation has no twin that takes a role, or a scope has no operation
 */
export function leastRolesOf(
  operations: readonly Pick<Operation, 'operationId' | 'scope' | 'twin'>[],
  twins: readonly Twin[],
): LeastRoles {
  const byId = new Map(twins.map((twin) => [twin.operationId, twin]));
  const roleOf = (id: string): Role => {
    const twin = byId.get(id);
    const role = ROLES.find((each) => each === twin?.role);
    if (twin === undefined || role === undefined)
      throw new TypeError(`the dashboard has no operation ${id} that takes a role`);
    return higher(role, twin.elevated?.role ?? role);
  };
  const makes = roleOf('createApiKey');
  const leastFor = (scope: Scope): Role => {
    const under = operations.filter((operation) => operation.scope === scope);
    if (under.length === 0) throw new TypeError(`no operation takes the scope ${scope}`);
    return under.map(({ twin }) => roleOf(twin)).reduce(higher, makes);
  };
  const scopes = new Map(SCOPES.map((scope) => [scope, leastFor(scope)]));
  return { scopes, fullAccess: [...scopes.values()].reduce(higher, makes) };
}

function higher(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? one : other;
}

/** Of this version. */
export const LEAST_ROLES: LeastRoles = leastRolesOf(OPERATIONS, DASHBOARD_OPERATIONS);
