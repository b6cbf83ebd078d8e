import type { ProcessRole } from '../app/assignment.ts';
import type { ConfiguredRole } from '../app/config.ts';

/** The maximum number of workers. More workers would not help, because with four workers PostgreSQL is the bottleneck. */
const MAX_WORKERS = 4;

/** With this many cores, mail apps get their own process, so searching a large folder does not slow down the API. */
const CORES_FOR_MAIL_APPS = 4;
const MAIL_APPS: readonly ConfiguredRole[] = ['submission', 'imap', 'pop3'];

/**
 * Assigns roles to processes. On one core, one process runs all roles. On more cores, one process listens on the ports, so that clients are
 * answered quickly, and there is one worker for each further core. Incoming mail has no process of its own, because a process costs memory.
 * Without an API, the last process (a worker, if there are workers) also has the role `status`.
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

/** Names each planned process after its first role. Workers are numbered: `worker-1`, `worker-2` and so on. */
export function nameProcesses(planned: readonly ProcessRole[][]): string[] {
  let workers = 0;
  return planned.map(([first = 'worker']) => (first === 'worker' ? `worker-${++workers}` : first));
}
