import type { Command } from 'commander';
import { sql } from 'kysely';
import { type Database } from '../../db/database.ts';
import { TIMINGS } from '../../db/timings.ts';
import { VERSION } from '../../model/version.ts';
import { example, json, print, withDatabase } from './command.ts';

export function defineMigrate(migrate: Command): void {
  migrate.addOption(json).addHelpText('after', example('migrate')).action(runMigrate);
}

async function runMigrate(options: { json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }, waiting) => {
    const processes = await livingProcesses(database);
    print(options.json, { version: VERSION, waiting, processes }, describe(waiting, processes));
  });
}

interface LivingProcesses {
  host: string;
  version: string;
  count: number;
}

async function livingProcesses(database: Database): Promise<LivingProcesses[]> {
  const rows = await database
    .selectFrom('processes')
    .select(({ fn, cast }) => ['host', 'version', cast<number>(fn.countAll(), 'integer').as('count')])
    .where(sql<boolean>`heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond'`)
    .groupBy(['host', 'version'])
    .orderBy('host')
    .orderBy('version')
    .execute();
  return rows;
}

function describe(waiting: readonly string[], processes: readonly LivingProcesses[]): string {
  const lines = [`The database is ready for Posthorn ${VERSION}.`];
  if (waiting.length > 0) {
    lines.push(
      'These migrations remove what older versions need. They run one hour after the last process of an older version has ended:',
    );
    lines.push(...waiting.map((name) => `  ${name}`));
  }
  if (processes.length > 0) lines.push('Processes on this database:');
  lines.push(...processes.map(({ host, version, count }) => `  ${version} on ${host}: ${count}`));
  return lines.join('\n');
}
