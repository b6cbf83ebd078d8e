import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { defaultFolder, devFolder } from '../../dev-folder.js';
import { readConfig } from '../../app/config.ts';
import { devEnvironment } from '../../app/dev-environment.ts';
import { clusterFolder } from '../../installation/embedded/cluster.ts';
import { openDataFolder, tryLock } from '../../installation/embedded/data-folder.ts';
import { BAD_CONFIGURATION, StartupError } from '../../model/startup-error.ts';
import { buildPages } from '../../process/build-pages.ts';
import { devAddresses, devBanner } from '../../process/dev-banner.ts';
import { secretOfFolder } from '../../process/secret.ts';
import { supervise } from '../../process/supervisor.ts';
import { fillSourceCache } from '../../source-cache.js';

interface DevOptions {
  smtpPort: string;
  httpPort: string;
  fresh?: true;
  json?: true;
}

export function defineDev(dev: Command): void {
  dev
    .option('--smtp-port <port>', 'the port that catches mail; 0 picks a free one', portNumber, '1025')
    .option('--http-port <port>', 'the port of the inbox and the API; 0 picks a free one', portNumber, '8025')
    .option('--data <folder>', 'where emails are stored', defaultFolder())
    .option('--fresh', 'delete the stored emails and settings first')
    .option('--json', 'print JSON')
    // Not from `command.ts`, which loads the whole core and would delay the start.
    .addHelpText('after', '\nExample:\n  npm run -s posthorn -- dev')
    .action(runDev);
}

/** Starts the service for development, and resolves when it has stopped. */
async function runDev(options: DevOptions): Promise<void> {
  const { smtpPort, httpPort, fresh } = options;
  const dataDir = resolve(devFolder(process.argv.slice(2)));
  const environment = devEnvironment(process.env, { dataDir, smtpPort, httpPort });
  // The processes of the service read their configuration from the environment.
  for (const name of Object.keys(process.env)) if (name.startsWith('POSTHORN_')) delete process.env[name];
  Object.assign(process.env, environment);
  openFolder(dataDir, fresh === true);
  if (environment['POSTHORN_DATABASE_URL'] !== undefined)
    process.env['POSTHORN_SECRET'] ??= secretOfFolder(openDataFolder(dataDir));
  const config = readConfig(process.env);
  await fillSourceCache();
  await buildPages();
  process.exit(
    await supervise(config, (_, ports) =>
      options.json === true
        ? `${JSON.stringify(devAddresses(config, ports))}\n`
        : devBanner(config, ports, performance.now()),
    ),
  );
}

function portNumber(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be 0 to 65535.');
  return text;
}

/**
 * Checks that no other process uses the data folder, and deletes its content if asked to. A folder without a database is never deleted, because it may
 * be any folder of the user.
 * @throws StartupError
 */
function openFolder(dataDir: string, isFresh: boolean): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const isOwn = existsSync(clusterFolder(dataDir)) || names.includes('posthorn.lock');
  if (isFresh && names.length > 0 && !isOwn)
    throw new StartupError(
      `${dataDir} is not a data folder of Posthorn, so --fresh does not delete it. Choose another with --data.`,
      { exitCode: BAD_CONFIGURATION },
    );
  const lock = tryLock(openDataFolder(dataDir), 'command');
  if (lock === null)
    throw new StartupError(
      `Another process is using ${dataDir}. Stop it first, or choose another folder with --data.`,
    );
  // The lock file stays, so that no other process can take the lock of a folder that is being deleted. The cache contains only sources.
  for (const name of isFresh ? names : [])
    if (!['posthorn.lock', 'cache'].includes(name))
      rmSync(join(dataDir, name), { recursive: true, force: true });
  lock[Symbol.dispose]();
}
