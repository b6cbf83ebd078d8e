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
    .argument('<file>', 'the file to write, readable only by you; - is standard output')
    .option('--with-secret', 'include the secret; anyone with the file can then decrypt the keys in it')
    .addOption(json)
    .addHelpText('after', example('backup /backups/posthorn.tar.zst'))
    .action(makeBackup);
}

/** Makes a backup. Does not migrate the database, because a backup before an upgrade must not perform the upgrade. */
async function makeBackup(file: string, { withSecret, json }: BackupOptions): Promise<void> {
  const config = readConfig(process.env);
  if (file === '-' && process.stdout.isTTY)
    throw new StartupError(
      'A backup is binary and cannot be printed to a terminal. Specify a file, or redirect standard output.',
    );
  const secret = withSecret === true ? secretOf(config) : null;
  if (config.databaseUrl === null && !existsSync(clusterFolder(config.dataDir)))
    throw new StartupError(
      `There is nothing to back up in ${config.dataDir}. Set POSTHORN_DATA to the data folder of the service.`,
    );
  await using embedded = config.databaseUrl === null ? await useEmbedded(config.dataDir) : null;
  await using stack = new AsyncDisposableStack();
  const url = embedded?.url ?? (config.databaseUrl as string);
  const { madeAt, tables, objects } = await writeBackup(url, secret, openObjects(config, stack), file);
  await recordBackup(url, madeAt).catch(({ message }: Error) => {
    process.stderr.write(
      `The backup is complete, but its time could not be recorded: ${message}. Alerts on the age of backups will not count it.\n`,
    );
  });
  const emails = tables.find(({ name }) => name === 'emails')?.rows ?? 0;
  if (file === '-') return;
  const messages = tables.find(({ name }) => name === 'messages')?.rows ?? 0;
  const summary = {
    file,
    made_at: madeAt,
    bytes: statSync(file).size,
    emails,
    messages,
    objects,
    has_secret: secret !== null,
  };
  print(json, { ...summary, tables }, describe(summary));
}

function describe(summary: {
  file: string;
  made_at: string;
  bytes: number;
  emails: number;
  messages: number;
  has_secret: boolean;
}): string {
  const { file, made_at, bytes, emails, messages, has_secret } = summary;
  const note = has_secret
    ? 'It includes the secret: anyone with this file can decrypt the keys in it.'
    : 'It does not include the secret. Keep a copy of the secret elsewhere: without it, no DKIM key and no webhook secret can be decrypted.';
  return `${file}: ${emails} emails, ${messages} messages in mailboxes, as of ${made_at}, ${bytes} bytes.\n${note}`;
}

function secretOf({ secret, dataDir }: Config): string {
  const found = secret ?? readSecret(dataDir);
  if (found === null)
    throw new StartupError(
      `There is no secret in ${dataDir}, and POSTHORN_SECRET is not set. Set POSTHORN_SECRET to the secret of the service.`,
    );
  return found;
}
