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
    .argument('<file>', 'the file that posthorn backup wrote; - is standard input')
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
    // The clock of the place where it was made may have been ahead of this one.
    settings: (now) => {
      const madeAt = new Date(opened.header.made_at);
      return [
        pausing({ since: madeAt > now ? madeAt : now, because: 'restored' }),
        // Objects that are there already may be those of the database that the backup is of.
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
  const said = { file, made_at, made_by: posthorn, emails, messages };
  print(options.json, { ...said, tables }, describe(said));
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
    `${file} is restored: ${emails} emails, ${messages} messages in mailboxes, as of ${made_at}.`,
    'Sending is paused, also after a start: what waits may have gone out since the backup was made.',
    'See it with posthorn queue show, and let it go with posthorn queue resume: docs/operate/backup.md.',
  ].join('\n');
}

/**
 * Sees to it that the secret that will be in force is that of the backup.
 * @returns a secret to keep in the data folder, which has none yet
 * @throws StartupError when there is none, or another one
 */
async function findSecret(config: Config, { header, secret }: OpenedBackup): Promise<string | null> {
  const inForce = config.secret ?? readSecret(config.dataDir);
  const found = inForce ?? secret;
  if (header.secret_check === null) return inForce === null ? secret : null;
  if (found === null)
    throw new StartupError(
      `The secret is not in this backup. Set POSTHORN_SECRET to that of the place where it was made, or put the file secret of that data folder into ${config.dataDir}. Nothing was changed.`,
    );
  if ((await sealerOf(header.secret_check, found)) === null)
    throw new StartupError(
      `${config.secret === null ? `The secret in ${config.dataDir}` : 'POSTHORN_SECRET'} is not that of the place where the backup was made. Nothing was changed.`,
    );
  return inForce === null ? secret : null;
}
