import type { Command } from 'commander';
import { type Config, readConfig } from '../../app/config.ts';
import { openObjects } from '../../app/objects.ts';
import { openBackup, type OpenedBackup } from '../../installation/backup/open-backup.ts';
import { restore } from '../../installation/backup/restore.ts';
import { StartupError } from '../../model/startup-error.ts';
import { useEmbedded } from '../../installation/embedded/use-embedded.ts';
import { sealerOf } from '../../db/seal.ts';
import { keepSecret, readSecret } from '../../process/secret.ts';
import { pausing } from '../../queue/pause.ts';
import { newUuid } from '../../model/ids.ts';
import { OBJECTS_OWNER } from '../../retention/sweep-blobs.ts';
import { example, json, print } from './command.ts';

export function defineRestore(command: Command): void {
  command
    .argument('<file>', 'a file written by "posthorn backup"; - is standard input')
    .addOption(json)
    .addHelpText('after', example('restore /backups/posthorn.tar.zst'))
    .action(restoreBackup);
}

async function restoreBackup(file: string, options: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const opened = await openBackup(file);
  const secretToKeep = await findSecret(config, opened);
  await using embedded = config.databaseUrl === null ? await useEmbedded(config.dataDir) : null;
  await using stack = new AsyncDisposableStack();
  const tables = await restore({
    url: embedded?.url ?? (config.databaseUrl as string),
    backup: opened,
    objects: openObjects(config, stack),
    // The pause begins no earlier than `made_at`, because the clock of the backed-up database may have been ahead of this database's clock.
    settings: (now) => {
      const madeAt = new Date(opened.header.made_at);
      return [
        pausing({ since: madeAt > now ? madeAt : now, because: 'restored' }),
        // Set a new owner, because the objects in the bucket may still belong to the database that was backed up.
        { name: OBJECTS_OWNER, value: newUuid() },
      ];
    },
    beforeCommit: () => {
      if (secretToKeep !== null) keepSecret(config.dataDir, secretToKeep);
    },
  });
  const { made_at, posthorn } = opened.header;
  const emails = tables.find(({ name }) => name === 'emails')?.rows ?? 0;
  const messages = tables.find(({ name }) => name === 'messages')?.rows ?? 0;
  const summary = { file, made_at, made_by: posthorn, emails, messages };
  print(options.json, { ...summary, tables }, describe(summary));
}

function describe({
  file,
  made_at,
  emails,
  messages,
}: {
  file: string;
  made_at: string;
  emails: number;
  messages: number;
}): string {
  return [
    `Restored ${file}: ${emails} emails, ${messages} messages in mailboxes, as of ${made_at}.`,
    'Sending is paused, even after a restart, because waiting mail may have been sent since the backup was made.',
    'Check the waiting mail with posthorn queue show, then run posthorn queue resume: docs/operate/backup.md.',
  ].join('\n');
}

/**
 * Checks that the secret in effect after the restore is the secret that the backup needs.
 * @returns the secret to store in the data folder; null if no secret is needed, or if a secret is already configured
 * @throws StartupError if the secret is missing, or is not the secret that the backup needs
 */
async function findSecret(config: Config, { header, secret }: OpenedBackup): Promise<string | null> {
  const inForce = config.secret ?? readSecret(config.dataDir);
  const found = inForce ?? secret;
  if (header.secret_check === null) return inForce === null ? secret : null;
  if (found === null)
    throw new StartupError(
      `This backup does not include the secret. Set POSTHORN_SECRET to the secret of the installation that was backed up, or copy the file "secret" from its data folder to ${config.dataDir}. Nothing was changed.`,
    );
  if ((await sealerOf(header.secret_check, found)) === null)
    throw new StartupError(
      `${config.secret === null ? `The secret in ${config.dataDir}` : 'POSTHORN_SECRET'} is not the secret of the installation that was backed up. Nothing was changed.`,
    );
  return inForce === null ? secret : null;
}
