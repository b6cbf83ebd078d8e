/** Readiness and processes of a service. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Service } from './service.ts';

export async function isReady(service: Service): Promise<boolean> {
  return fetch(`${service.baseUrl}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Polls until the condition is true. Polling is necessary, because the condition depends on other processes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The ids of processes that have the path of the data folder in their arguments or environment. */
export function processesOn(dataDir: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
      return ['cmdline', 'environ'].some((name) =>
        readFileSync(`/proc/${pid}/${name}`, 'utf8').includes(dataDir),
      );
    } catch {
      return false;
    }
  });
}
