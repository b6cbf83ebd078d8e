import type { Role } from '../config.ts';

/** More do not pay: PostgreSQL is then the narrow place. */
const MAX_WORKERS = 4;

/**
 * Which processes run which roles. One core: all in one. Else one for what listens, so that workers leave it responsive,
 * and a worker for each core but one. Reports are few: a process of their own would be memory for nothing.
 * @returns the roles of each process
 */
export function planProcesses(roles: readonly Role[], cores: number): Role[][] {
  if (cores === 1) return [[...roles]];
  const listening = roles.filter((role) => role !== 'worker');
  const workers = roles.includes('worker') ? Math.min(MAX_WORKERS, cores - 1) : 0;
  return [
    ...(listening.length > 0 ? [listening] : []),
    ...Array.from({ length: workers }, (): Role[] => ['worker']),
  ];
}
