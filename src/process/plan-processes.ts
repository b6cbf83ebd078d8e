import type { ProcessRole } from '../app/assignment.ts';
import type { ConfiguredRole } from '../app/config.ts';

/** More workers do not pay: PostgreSQL is then the bottleneck. */
const MAX_WORKERS = 4;

/** From so many cores on mail apps have a process of their own: a large folder that somebody searches does not hold up the API. */
const CORES_FOR_MAIL_APPS = 4;
const MAIL_APPS: readonly ConfiguredRole[] = ['submission', 'imap', 'pop3'];

/**
 * Says which processes run which roles. On one core, one process runs all. On more, one process runs what listens, so that
 * workers leave it responsive, and each further core has a worker. Reports are few: a process of their own would only cost
 * memory. Without an API the last process has the role `status`: a worker where there is one.
 * @returns the roles of each process
 */
export function planProcesses(roles: readonly ConfiguredRole[], cores: number): ProcessRole[][] {
  const mailApps = cores < CORES_FOR_MAIL_APPS ? [] : roles.filter((role) => MAIL_APPS.includes(role));
  const listening = roles.filter((role) => role !== 'worker' && !mailApps.includes(role));
  const workers = roles.includes('worker') ? Math.min(MAX_WORKERS, cores - 1) : 0;
  const processes: ProcessRole[][] =
    cores === 1
      ? [[...roles]]
      : [
          ...[listening, mailApps].filter((each) => each.length > 0),
          ...Array.from({ length: workers }, (): ConfiguredRole[] => ['worker']),
        ];
  if (!roles.includes('http')) processes.at(-1)?.push('status');
  return processes;
}

/** A name for each planned process: `http`, `smtp`, or `worker-1`... */
export function nameProcesses(planned: readonly ProcessRole[][]): string[] {
  let workers = 0;
  return planned.map(([first = 'worker']) => (first === 'worker' ? `worker-${++workers}` : first));
}
