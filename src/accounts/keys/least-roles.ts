/** The lowest role that may grant each scope, so that a key can do no more than its creator. */
import { AppError } from '../../model/app-error.ts';
import { isAtLeast, ROLES, type Role } from '../../model/roles.ts';
import type { GrantedScopes, Scope } from '../../model/scopes.ts';

export interface LeastRoles {
  /** The lowest role that may grant the scope. */
  scopes: ReadonlyMap<Scope, Role>;
  /** The lowest role that may grant full access, which includes the scopes of later versions. */
  fullAccess: Role;
}

/** @param role the creator's role in the project; null if the creator has no access to the project */
export function mayGrant(least: LeastRoles, role: Role | null, scopes: GrantedScopes): boolean {
  if (role === null) return false;
  if (scopes === null) return isAtLeast(role, least.fullAccess);
  return scopes.every((scope) => mayGrantScope(least, role, scope));
}

/** @throws AppError missing-role; the message names the scopes, and the lowest role that may grant all these scopes */
export function assertMayGrant(least: LeastRoles, role: Role, scopes: GrantedScopes): void {
  if (mayGrant(least, role, scopes)) return;
  const beyond = (scopes ?? []).filter((scope) => !mayGrantScope(least, role, scope));
  const needed =
    ROLES.find((each) => beyond.some((scope) => roleFor(least, scope) === each)) ?? least.fullAccess;
  const requested = scopes === null ? 'full access' : beyond.join(', ');
  throw new AppError(
    'missing-role',
    `A key cannot do more than its creator. Granting ${requested} requires the role ${needed}, and your role is ${role}. Choose other scopes, or ask a member with the role ${needed}.`,
    { extensions: { required_role: needed } },
  );
}

function mayGrantScope(least: LeastRoles, role: Role, scope: Scope): boolean {
  return isAtLeast(role, roleFor(least, scope));
}

/** A scope that is missing from the table requires the role for full access. */
function roleFor(least: LeastRoles, scope: Scope): Role {
  return least.scopes.get(scope) ?? least.fullAccess;
}
