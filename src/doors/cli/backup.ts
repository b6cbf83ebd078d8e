import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type Config, readConfig } from '../../app/config.ts';
import { openObjects } from '../../app/objects.ts';
import { recordBackup } from '../../installation/backup/record-backup.ts';
import { writeBackup } from '../../installation/backup/write-backup.ts';
import { clusterFolder } from '../../installation/embedded/cluster.ts';
import { StartupError } from '../../model/startup-error.ts';
import { useEmbedded } from '../../installation/embedded/use-embedded.ts';
import { readSecret } from '../../process/secret.ts';
import { example, json, print } from './command.ts';

interface BackupOptions {
  withSecret?: boolean;
  json?: boolean;
}

export function defineBackup(backup: Command): void {
  backup
    .argument('<file>', 'the file, which only you may read; - is standard output')
    .option('--with-secret', 'put the secret in: whoever has the file can then open all that is sealed')
    .addOption(json)
    .addHelpText('after', example('backup /backups/posthorn.tar.zst'))
    .action(makeBackup);
}

/** The database as it is: a backup that is made before an upgrade must not be the upgrade. */
async function makeBackup(file: string, { withSecret, json }: BackupOptions): Promise<void> {
  const config = readConfig(process.env);
  if (file === '-' && process.stdout.isTTY)
    throw new StartupError(
      'A backup is no text for a terminal. Name a file, or lead standard output elsewhere.',
    );
  const secret = withSecret === true ? secretOf(config) : null;
  if (config.databaseUrl === null && !existsSync(clusterFolder(config.dataDir)))
    throw new StartupError(
      `There is nothing to back up in ${config.dataDir}. Is POSTHORN_DATA the folder of the service?`,
    );
  await using embedded = config.databaseUrl === null ? await useEmbedded(config.dataDir) : null;
  await using stack = new AsyncDisposableStack();
  const url = embedded?.url ?? (config.databaseUrl as string);
  const { madeAt, tables, objects } = await writeBackup(url, secret, openObjects(config, stack), file);
  await recordBackup(url, madeAt).catch(({ message }: Error) => {
    process.stderr.write(
      `The backup is complete, but it could not be recorded: ${message}. Alerts on its age do not know of it.\n`,
    );
  });
  const emails = tables.find(({ name }) => name === 'emails')?.rows ?? 0;
  if (file === '-') return;
  const messages = tables.find(({ name }) => name === 'messages')?.rows ?? 0;
  const said = {
    file,
    made_at: madeAt,
    bytes: statSync(file).size,
    emails,
    messages,
    objects,
    has_secret: secret !== null,
  };
  print(json, { ...said, tables }, describe(said));
}

function describe(said: {
  file: string;
  made_at: string;
  bytes: number;
  emails: number;
  messages: number;
  has_secret: boolean;
}): string {
  const { file, made_at, bytes, emails, messages, has_secret } = said;
  const aside = has_secret
    ? 'The secret is in it: whoever has this file can open everything.'
    : 'The secret is not in it. Keep a copy of it elsewhere: without it nothing that is sealed opens again.';
  return `${file}: ${emails} emails, ${messages} messages in mailboxes, as of ${made_at}, ${bytes} bytes.\n${aside}`;
}

function secretOf({ secret, dataDir }: Config): string {
  const found = secret ?? readSecret(dataDir);
  if (found === null)
    throw new StartupError(`There is no secret in ${dataDir}, and POSTHORN_SECRET is not set.`);
  return found;
}
