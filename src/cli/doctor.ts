import { readConfig } from '../app/config.ts';
import { checksOf } from './doctor/checks.ts';
import { type CheckResult, runChecks } from './doctor/checks.ts';
import { useDatabase } from './doctor/database.ts';
import { realWorld } from './doctor/world.ts';

interface Options {
  probeDomain: string;
  json?: boolean;
}

/** Says what is right and what is not about the set-up of this machine. The exit code is 1 when there is a problem. */
export async function runDoctor({ probeDomain, json }: Options): Promise<void> {
  const config = readConfig(process.env);
  const results = await useDatabase(config, async (database) => {
    const ending = new AbortController();
    try {
      return await runChecks(
        checksOf(realWorld({ config, env: process.env, probeDomain, database, signal: ending.signal })),
      );
    } finally {
      ending.abort();
    }
  });
  process.stdout.write(json === true ? `${JSON.stringify({ checks: results })}\n` : describe(results));
  if (results.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1;
}

function describe(results: readonly CheckResult[]): string {
  return results
    .map(({ name, verdict, seen, advice }) => {
      const lines = advice === null ? [seen] : [seen, `-> ${advice}`];
      return `${verdict} ${name}\n${lines.map((line) => `    ${line}\n`).join('')}`;
    })
    .join('');
}
