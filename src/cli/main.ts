/** The command line, which works beside a running server and without one. */
import { Command } from 'commander';
import { ConfigError, describeSettings } from '../app/config.ts';
import { StartupError } from '../db/embedded/startup-error.ts';
import { AppError } from '../model/app-error.ts';
import { VERSION } from '../model/version.ts';
import { complaint } from './complaint.ts';
import { doctor } from './doctor.ts';
import { domain } from './domain.ts';
import { email } from './email.ts';
import { key } from './key.ts';
import { mailbox } from './mailbox.ts';
import { migrateCommand } from './migrate.ts';
import { project } from './project.ts';
import { share } from './share.ts';
import { suppression } from './suppression.ts';
import { template } from './template.ts';
import { tlsResults } from './tls-results.ts';
import { webhook } from './webhook.ts';

const program = new Command('posthorn')
  .description('Transactional email that a team runs itself.')
  .version(VERSION, '-v, --version', 'print the version of this program');
program
  .command('config')
  .description('every environment variable with its default and meaning')
  .action(() => {
    process.stdout.write(describeSettings());
  });
for (const command of [
  doctor,
  key,
  domain,
  project,
  email,
  mailbox,
  complaint,
  suppression,
  tlsResults,
  template,
  share,
  webhook,
  migrateCommand,
]) {
  program.addCommand(command);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof AppError || error instanceof ConfigError || error instanceof StartupError) {
    const details = error instanceof AppError ? Object.entries(error.errors ?? {}) : [];
    process.stderr.write(
      `${[error.message, ...details.map(([field, text]) => `  ${field}: ${text}`)].join('\n')}\n`,
    );
    process.exitCode = error instanceof ConfigError ? 78 : 1;
  } else {
    throw error;
  }
}
