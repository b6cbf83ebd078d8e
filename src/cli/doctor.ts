import type { Command } from 'commander';
import { readConfig } from '../app/config.ts';
import { example, json, print } from './command.ts';
import type { CheckResult } from '../doctor/checks.ts';
import { useDatabase } from '../doctor/database.ts';
import { examine, PROBE_DOMAIN } from '../doctor/examine.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .option(
      '--probe-domain <domain>',
      'a domain whose mail hosts are dialled, to see whether port 25 is open',
      PROBE_DOMAIN,
    )
    .addOption(json)
    .addHelpText('after', example('doctor'))
    .action(runDoctor);
}

/** Says what is right and what is wrong with the set-up of this machine. The exit code is 1 when there is a problem. */
async function runDoctor({ probeDomain, json }: { probeDomain: string; json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const results = await useDatabase(config, (database) =>
    examine(config, process.env, database, probeDomain),
  );
  print(json, { checks: results }, describe(results));
  if (results.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1;
}

function describe(results: readonly CheckResult[]): string {
  return results
    .flatMap(({ name, verdict, seen, advice }) => [
      `${verdict} ${name}`,
      `    ${seen}`,
      ...(advice === null ? [] : [`    -> ${advice}`]),
    ])
    .join('\n');
}
