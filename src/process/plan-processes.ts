import type { ProcessRole } from '../app/assignment.ts';
import type { Role } from '../app/config.ts';

/** More do not pay: PostgreSQL is then the narrow place. */
const MAX_WORKERS = 4;

/**
 * Which processes run which roles. One core: all in one. Else one for what listens, so that workers leave it responsive,
 * and a worker for each core but one. Reports are few: a process of their own would be memory for nothing.
 * Without an API the last process, which is a worker where there is one, tells how it is.
 * @returns the roles of each process
 */
export function planProcesses(roles: readonly Role[], cores: number): ProcessRole[][] {
  const listening = roles.filter((role) => role !== 'worker');
  const workers = roles.includes('worker') ? Math.min(MAX_WORKERS, cores - 1) : 0;
  const processes: ProcessRole[][] =
    cores === 1
      ? [[...roles]]
      : [
          ...(listening.length > 0 ? [listening] : []),
          ...Array.from({ length: workers }, (): Role[] => ['worker']),
        ];
  if (!roles.includes('http')) processes.at(-1)?.push('status');
  return processes;
}

/** A name for each planned process: `http`, `smtp`, or `worker-1`... */
export function nameProcesses(planned: readonly ProcessRole[][]): string[] {
  let workers = 0;
  return planned.map(([first = 'worker']) => (first === 'worker' ? `worker-${++workers}` : first));
}
