import type { Command } from 'commander';
import { readConfig } from '../../app/config.ts';
import { example, json, print } from './command.ts';
import type { DoctorCheckResult } from '../../installation/doctor/checks.ts';
import { useDatabase } from '../../installation/doctor/database.ts';
import { examine, PROBE_DOMAIN } from '../../installation/doctor/examine.ts';
import { listUpgrade, type UpgradeEntry } from '../../installation/doctor/upgrade.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .option(
      '--probe-domain <domain>',
      'a domain whose mail hosts are contacted, to check whether port 25 is open',
      PROBE_DOMAIN,
    )
    .option('--upgrade', 'list every default that changed, and whether it affects this installation')
    .addOption(json)
    .addHelpText('after', example('doctor'))
    .action(runDoctor);
}

interface DoctorOptions {
  probeDomain: string;
  upgrade?: boolean;
  json?: boolean;
}

/** Prints the results of all checks. The exit code is 1 if there is a problem. */
async function runDoctor({ probeDomain, upgrade, json }: DoctorOptions): Promise<void> {
  const config = readConfig(process.env);
  if (upgrade === true) {
    const changes = await useDatabase(config, (database) => listUpgrade(config, process.env, database));
    print(json, { changes }, changes.map(describeChange).join('\n'));
    return;
  }
  const results = await useDatabase(config, (database) =>
    examine(config, process.env, database, probeDomain),
  );
  print(json, { checks: results }, describe(results));
  if (results.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1;
}

function describe(results: readonly DoctorCheckResult[]): string {
  return results
    .flatMap(({ name, verdict, seen, advice }) => [
      `${verdict} ${name}`,
      `    ${seen}`,
      ...(advice === null ? [] : [`    -> ${advice}`]),
    ])
    .join('\n');
}

function describeChange({ name, since, date, before, now, is_touched, here, advice }: UpgradeEntry): string {
  const verdict = is_touched === null ? 'check' : is_touched ? 'affected' : 'no effect';
  return [
    `${verdict} ${name} (since ${since}, ${date})`,
    `    Before: ${before}`,
    `    Now: ${now}`,
    `    Here: ${here}`,
    ...(is_touched === false ? [] : [`    -> ${advice}`]),
  ].join('\n');
}
