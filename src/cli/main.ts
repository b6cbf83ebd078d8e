/** The command line: works beside a running server and without one. */
import { Command, Option } from 'commander';
import { ConfigError, describeSettings } from '../config.ts';
import { StartupError } from '../db/embedded/startup-error.ts';
import { AppError } from '../model/app-error.ts';
import { PLANS } from '../model/plans.ts';
import { retryEmail } from './email-retry.ts';
import { createKey } from './key-create.ts';
import { revokeKey } from './key-revoke.ts';
import { createNewProject } from './project-create.ts';

const program = new Command('posthorn').description('Transactional email that a team runs itself.');
const json = new Option('--json', 'print JSON');

program
  .command('config')
  .description('every environment variable with its default and meaning')
  .action(() => {
    process.stdout.write(describeSettings());
  });

const key = program.command('key').description('API keys');
key
  .command('create')
  .description('make an API key; its token is shown once')
  .requiredOption('--project <name>', 'the project that the key belongs to')
  .requiredOption('--name <name>', 'what people call the key')
  .option('--scopes <list>', 'scopes, separated by commas; without this option the key has full access')
  .addOption(json)
  .action(createKey);
key
  .command('revoke')
  .description('end an API key; running servers notice within two seconds')
  .requiredOption('--project <name>', 'the project that the key belongs to')
  .requiredOption('--id <id>', 'the id of the key: key_...')
  .action(revokeKey);

const project = program.command('project').description('projects');
project
  .command('create')
  .description('make a project')
  .requiredOption('--name <name>', 'its name')
  .addOption(new Option('--plan <plan>', 'its plan; default: POSTHORN_DEFAULT_PLAN').choices([...PLANS]))
  .addOption(json)
  .action(createNewProject);

const email = program.command('email').description('emails');
email
  .command('retry')
  .description('run an email again that failed with reason "internal"')
  .requiredOption('--project <name>', 'the project of the email')
  .requiredOption('--id <id>', 'the id of the email: em_...')
  .action(retryEmail);

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
