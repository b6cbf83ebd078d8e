import type { Role } from '../config.ts';

/** More do not pay: PostgreSQL is then the narrow place. */
const MAX_WORKERS = 4;

/**
 * Which processes run which roles. One core: all in one. Else one for each role, so that a busy role leaves
 * the others responsive, and a worker for each core but one.
 * @returns the roles of each process
 */
export function planProcesses(roles: readonly Role[], cores: number): Role[][] {
  if (cores === 1) return [[...roles]];
  return roles.flatMap((role) =>
    role === 'worker'
      ? Array.from({ length: Math.min(MAX_WORKERS, cores - 1) }, (): Role[] => [role])
      : [[role]],
  );
}
