/** Shared parts of commands: options, the database, and output. */
import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { pino } from 'pino';
import { actingAs } from '../../accounts/audit.ts';
import { findProjectByName } from '../../accounts/projects/projects.ts';
import { readConfig } from '../../app/config.ts';
import { Core } from '../../app/core.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { useEmbedded } from '../../installation/embedded/use-embedded.ts';
import { markingHours } from '../../insights/counts/mark-hours.ts';
import { migrate, type MigrationStep } from '../../db/migrate.ts';
import { runsAnywhere, setClockFromDatabase } from '../../db/presence.ts';
import { checkSecret } from '../../db/seal.ts';
import { AppError } from '../../model/app-error.ts';
import { COMMAND_LINE } from '../../model/command-line.ts';
import { decodeId, type IdPrefix, newUuid, NIL_UUID } from '../../model/ids.ts';
import { secretOfFolder } from '../../process/secret.ts';

export const json = new Option('--json', 'print JSON');

/** @param what describes the option in `--help` */
export function projectOption(what: string): Option {
  return new Option('--project <name>', what).makeOptionMandatory();
}

/** The example at the end of a command's help. @param line a command that works when pasted, after its names and ids are replaced */
export function example(line: string): string {
  return `\nExample:\n  ${COMMAND_LINE} ${line}`;
}

export interface ProjectOptions {
  /** The name of the project. */
  project: string;
  json?: boolean;
}

/**
 * Migrates the configured database, then calls `run`. If a server already runs the embedded PostgreSQL, that PostgreSQL is used. Otherwise
 * an embedded PostgreSQL is started for the command, unless `startsDatabase` is false.
 */
export async function withDatabase(
  run: (core: Core, waitingMigrations: string[]) => Promise<void>,
  { startsDatabase = true } = {},
): Promise<void> {
  const config = readConfig(process.env);
  await using embedded =
    config.databaseUrl === null ? await useEmbedded(config.dataDir, startsDatabase) : null;
  const url = embedded?.url ?? (config.databaseUrl as string);
  const waitingMigrations = await migrate(url, { onStep: reportStep });
  const database = openDatabase(url, { patient: true });
  try {
    await setClockFromDatabase(database);
    const actor = { kind: 'command-line', id: null, name: accountName(), address: null } as const;
    await using core = new Core({
      config,
      database,
      databaseUrl: url,
      logger: pino({ level: 'silent' }),
      processId: newUuid(),
      unseal: () => checkSecret(database, config.secret ?? secretOfFolder(config.dataDir)),
      baseUrl: () => config.baseUrl ?? `http://localhost:${config.httpPort}`,
    });
    // A command may change earlier emails, for example erase them. Servers do not know of it.
    await using _ = markingHours(database, core.logger);
    await actingAs(actor, () => run(core, waitingMigrations));
  } finally {
    await database.destroy();
  }
}

/** The name of the system user that runs the command. In a container the user may have no name but only a uid. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Progress goes to stderr so that stdout stays parseable. */
function reportStep({ kind, ...fields }: MigrationStep): void {
  const which = 'migration' in fields ? ` ${fields.migration}` : '';
  process.stderr.write(`Migration${which} ${kind}${'reason' in fields ? `: ${fields.reason}` : ''}\n`);
}

/** @throws AppError not-found if there is no project of this name */
export function withProject(
  name: string,
  run: (core: Core, projectId: string) => Promise<void>,
): Promise<void> {
  return withDatabase(async (core) => run(core, await findProjectByName(core.database, name)));
}

/** Waits until every running server has read a change. @param ttlMs how long servers cache the changed value */
export async function untilServersKnow(database: Database, ttlMs: number): Promise<void> {
  if (await runsAnywhere(database, 'http')) await setTimeout(ttlMs);
}

/** The uuid of an id in an argument. Returns the nil uuid, which no resource has, if `id` is not an id with this prefix. */
export function idFrom(prefix: IdPrefix, id: string): string {
  return decodeId(prefix, id) ?? NIL_UUID;
}

export function noSuch(project: string, what: string): AppError {
  return new AppError('not-found', `The project ${project} has no such ${what}.`);
}

/** Prints a result as JSON for scripts, or as text. */
export function print(json: boolean | undefined, result: object, forPeople: string = linesOf(result)): void {
  process.stdout.write(`${json === true ? jsonOf(result) : forPeople}\n`);
}

/**
 * Characters that a terminal would interpret and that `JSON.stringify` does not escape. `JSON.stringify` escapes only control characters
 * below U+0020.
 */
const UNPRINTABLE = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

function jsonOf(result: object): string {
  return JSON.stringify(result).replaceAll(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at))).join(''),
  );
}

function escapeOf(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function linesOf(result: object): string {
  return Object.entries(result)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(',') : value}`)
    .join('\n');
}
