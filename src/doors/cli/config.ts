import type { Command } from 'commander';
import { ALL_SETTINGS, describeSettings } from '../../app/config.ts';
import { effectiveSettings } from '../../app/effective-settings.ts';
import { describeUnknown, unknownVariables } from '../../app/unknown-variables.ts';
import { example, json, print } from './command.ts';
import { table } from './table.ts';

export function defineConfig(config: Command): void {
  config
    .option(
      '--effective',
      'show the values in effect with the environment of this command; secrets are masked',
    )
    .addOption(json)
    .addHelpText('after', example('config --effective'))
    .action(showConfig);
}

function showConfig(options: { effective?: true; json?: boolean }): void {
  if (options.effective === true) return showEffective(options.json);
  if (options.json !== true) return void process.stdout.write(describeSettings());
  const data = ALL_SETTINGS.map((setting) => ({
    name: setting.name,
    default: setting.default ?? null,
    without: setting.without ?? null,
    required_with: setting.requiredWith ?? null,
    meaning: setting.meaning,
  }));
  print(true, { data });
}

function showEffective(json: boolean | undefined): void {
  const data = effectiveSettings(process.env);
  const rows = data.map(({ name, value, without, source }) => [
    name,
    source,
    value ?? `(${without ?? 'none'})`,
  ]);
  // Do not truncate any column: part of a path or of an address is useless.
  print(json, { data }, table([{ title: 'NAME' }, { title: 'FROM' }, { title: 'VALUE' }], rows));
  for (const variable of unknownVariables(process.env))
    process.stderr.write(`${describeUnknown(variable)}\n`);
}
