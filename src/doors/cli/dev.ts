import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { defaultFolder, devFolder } from '../../dev-folder.js';
import { readConfig } from '../../app/config.ts';
import { devKeyFile } from '../../app/dev-key.ts';
import { devEnvironment } from '../../app/dev-environment.ts';
import { openDataFolder, tryLock } from '../../installation/embedded/data-folder.ts';
import { COMMAND_LINE } from '../../model/command-line.ts';
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
    // Not `example` of `command.ts`, which loads the whole core and would delay the start.
    .addHelpText('after', `\nExample:\n  ${COMMAND_LINE} dev`)
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
  const hasOwnDatabase = environment['POSTHORN_DATABASE_URL'] !== undefined;
  // Nothing is created or deleted before the variables have been checked, apart from the secret, which is in the folder.
  readConfig({ POSTHORN_SECRET: 'x'.repeat(32), ...environment });
  if (fresh === true && hasOwnDatabase)
    throw new StartupError(
      '--fresh deletes the data folder, but the emails are in POSTHORN_DATABASE_URL. Create that database again instead.',
      { exitCode: BAD_CONFIGURATION },
    );
  openFolder(dataDir, fresh === true);
  if (hasOwnDatabase) process.env['POSTHORN_SECRET'] ??= secretOfFolder(dataDir);
  const config = readConfig(process.env);
  stopWithNpx();
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

const PARENT_CHECK_MS = 1_000;

/** Stops the service when npx is killed, which passes no signal on. Otherwise the service would keep its ports and its data folder. */
function stopWithNpx(): void {
  if (process.env['npm_command'] !== 'exec') return;
  const parent = process.ppid;
  const check = (): void => void (process.ppid !== parent && process.kill(process.pid, 'SIGTERM'));
  setInterval(check, PARENT_CHECK_MS).unref();
}

function portNumber(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be 0 to 65535.');
  return text;
}

/** These stay, so that no other process can take the lock of a folder that is being deleted. The cache contains only sources. */
const KEPT = ['posthorn.lock', 'cache'];

/**
 * Checks that no other process uses the data folder, and deletes its content if asked to. Only `posthorn dev` writes an API key to its folder. Without
 * it, the folder may be that of a real installation, or any folder of the user, and is not deleted.
 * @throws StartupError
 */
function openFolder(dataDir: string, isFresh: boolean): void {
  const key = devKeyFile({ dataDir });
  const names = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => !KEPT.includes(name)) : [];
  // In the default folder, the first start may have been interrupted before it wrote the key.
  const isOwn = existsSync(key) || dataDir === defaultFolder();
  if (isFresh && names.length > 0 && !isOwn)
    throw new StartupError(
      `${dataDir} is not a folder of posthorn dev, so --fresh does not delete it. Choose another with --data.`,
      { exitCode: BAD_CONFIGURATION },
    );
  const lock = tryLock(openDataFolder(dataDir), 'command');
  if (lock === null)
    throw new StartupError(
      `Another process is using ${dataDir}. Stop it first, or choose another folder with --data.`,
    );
  if (isFresh) {
    // The key is the last, so that an interrupted deletion can be repeated.
    for (const path of [...names.map((name) => join(dataDir, name)).filter((each) => each !== key), key])
      rmSync(path, { recursive: true, force: true });
  }
  lock[Symbol.dispose]();
}
