/** The command line: works beside a running server and without one. */
import { Command, Option } from 'commander';
import { ConfigError, describeSettings } from '../app/config.ts';
import { StartupError } from '../db/embedded/startup-error.ts';
import { AppError } from '../model/app-error.ts';
import { PLANS } from '../model/plans.ts';
import { SPAM_LEVELS } from '../model/spam-levels.ts';
import { SUPPRESSION_REASONS } from '../model/suppression-reasons.ts';
import { showComplaintAddress } from './complaint-address.ts';
import { runDoctor } from './doctor.ts';
import { addDomain } from './domain-add.ts';
import { showHostedDomain } from './domain-hosted.ts';
import { setDomain } from './domain-set.ts';
import { retryEmail } from './email-retry.ts';
import { createKey } from './key-create.ts';
import { revokeKey } from './key-revoke.ts';
import { setMailboxPassword } from './mailbox-set-password.ts';
import { createNewProject } from './project-create.ts';
import { setProject } from './project-set.ts';
import { showProject } from './project-show.ts';
import { createShare } from './share-create.ts';
import { removeShare } from './share-remove.ts';
import { addSuppression } from './suppression-add.ts';
import { listSuppressions } from './suppression-list.ts';
import { removeSuppression } from './suppression-remove.ts';
import { createNewTemplate } from './template-create.ts';
import { removeTemplate } from './template-delete.ts';
import { changeTemplate } from './template-update.ts';
import { listTlsResults } from './tls-results.ts';
import { replayWebhook } from './webhook-replay.ts';
import { rotateWebhookSecret } from './webhook-rotate-secret.ts';

const program = new Command('posthorn').description('Transactional email that a team runs itself.');
const json = new Option('--json', 'print JSON');

program
  .command('config')
  .description('every environment variable with its default and meaning')
  .action(() => {
    process.stdout.write(describeSettings());
  });

program
  .command('doctor')
  .description('look at the set-up of this machine, and say what to do about what is wrong')
  .option(
    '--probe-domain <domain>',
    'whose mail hosts are connected to, to see whether port 25 is open',
    'gmail.com',
  )
  .addOption(json)
  .action(runDoctor);

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

const domain = program.command('domain').description('domains to send from');
domain
  .command('add')
  .description('add a domain to a project, and show the DNS records to publish')
  .requiredOption('--project <name>', 'the project that the domain is added to')
  .requiredOption('--domain <domain>', 'its name: acme.example')
  .option('--region <region>', 'kept with the domain as given')
  .addOption(json)
  .action(addDomain);
domain
  .command('set')
  .description('change what is tracked of the mail from a domain; running servers know it when this ends')
  .requiredOption('--project <name>', 'the project of the domain')
  .requiredOption('--domain <domain>', 'its name: acme.example')
  .addOption(
    new Option('--track-opens <choice>', 'tell when an email is opened').choices(['on', 'off', 'inherit']),
  )
  .addOption(
    new Option('--track-clicks <choice>', 'tell when a link is clicked').choices(['on', 'off', 'inherit']),
  )
  .addOption(json)
  .action(setDomain);
domain
  .command('hosted')
  .description('the DNS records that the operator publishes for the hosted domain')
  .addOption(json)
  .action(showHostedDomain);

const project = program.command('project').description('projects');
project
  .command('create')
  .description('make a project')
  .requiredOption('--name <name>', 'its name')
  .addOption(new Option('--plan <plan>', 'its plan; default: POSTHORN_DEFAULT_PLAN').choices([...PLANS]))
  .addOption(json)
  .action(createNewProject);
project
  .command('set')
  .description(
    'change the plan or the settings of a project; running servers hold it to its plan when this ends',
  )
  .requiredOption('--project <name>', 'its name')
  .addOption(new Option('--plan <plan>', 'its plan').choices([...PLANS]))
  .addOption(new Option('--spam-level <level>', 'of mailboxes without their own').choices([...SPAM_LEVELS]))
  .addOption(new Option('--track-opens <switch>', 'tell when an email is opened').choices(['on', 'off']))
  .addOption(new Option('--track-clicks <switch>', 'tell when a link is clicked').choices(['on', 'off']))
  .addOption(json)
  .action(setProject);
project
  .command('show')
  .description('the settings of a project, and what it uses of its plan')
  .requiredOption('--project <name>', 'its name')
  .addOption(json)
  .action(showProject);

const email = program.command('email').description('emails');
email
  .command('retry')
  .description('run an email again that failed with reason "internal"')
  .requiredOption('--project <name>', 'the project of the email')
  .requiredOption('--id <id>', 'the id of the email: em_...')
  .action(retryEmail);

const mailbox = program.command('mailbox').description('mailboxes');
mailbox
  .command('set-password')
  .description('set the password of a mailbox')
  .requiredOption('--project <name>', 'the project of the mailbox')
  .requiredOption('--address <address>', 'the address of the mailbox')
  .option('--password <password>', 'at least 12 characters; without this option one is made and shown once')
  .addOption(json)
  .action(setMailboxPassword);

const complaint = program.command('complaint').description('feedback loops');
complaint
  .command('address')
  .description('the address to register at feedback loops for a domain')
  .requiredOption('--domain <domain>', 'the domain that mail is sent from: acme.example')
  .addOption(json)
  .action(showComplaintAddress);

const suppression = program.command('suppression').description('addresses that get no more mail');
suppression
  .command('list')
  .description('the suppression list of a project, one address a line')
  .requiredOption('--project <name>', 'the project')
  .addOption(json)
  .action(listSuppressions);
suppression
  .command('add')
  .description('send no more mail to an address')
  .requiredOption('--project <name>', 'the project')
  .requiredOption('--address <address>', 'the address')
  .addOption(new Option('--reason <reason>', 'why').choices([...SUPPRESSION_REASONS]).default('manual'))
  .option('--expires <time>', 'until when: 2027-01-31 or 2027-01-31T12:00:00Z; without this option for good')
  .addOption(json)
  .action(addSuppression);
suppression
  .command('remove')
  .description('send mail to an address again')
  .requiredOption('--project <name>', 'the project')
  .requiredOption('--address <address>', 'the address')
  .action(removeSuppression);

program
  .command('tls-results')
  .description("how TLS went with the recipients' servers, a line for each kind of result")
  .option('--day <day>', 'of one day (UTC): 2027-01-31; without this option of the last 30')
  .option('--domain <domain>', 'of the recipients at one domain')
  .addOption(json)
  .action(listTlsResults);

const template = program.command('template').description('templates: saved subjects and bodies');
template
  .command('create')
  .description('save a template')
  .requiredOption('--project <name>', 'the project that the template belongs to')
  .requiredOption('--name <name>', 'its name, which no other template of the project has')
  .requiredOption('--subject <template>', 'the subject')
  .option('--html <template>', 'the HTML body')
  .option('--html-file <path>', 'the HTML body, from a file')
  .option('--text <template>', 'the plain text body')
  .option('--text-file <path>', 'the plain text body, from a file')
  .addOption(json)
  .action(createNewTemplate);
template
  .command('update')
  .description('change what is given of a template, and leave the rest')
  .requiredOption('--project <name>', 'the project that the template belongs to')
  .requiredOption('--id <id>', 'the id of the template: tpl_...')
  .option('--name <name>', 'its name, which no other template of the project has')
  .option('--subject <template>', 'the subject')
  .option('--html <template>', 'the HTML body; empty for none')
  .option('--html-file <path>', 'the HTML body, from a file')
  .option('--text <template>', 'the plain text body; empty for none')
  .option('--text-file <path>', 'the plain text body, from a file')
  .addOption(json)
  .action(changeTemplate);
template
  .command('delete')
  .description('delete a template')
  .requiredOption('--project <name>', 'the project that the template belongs to')
  .requiredOption('--id <id>', 'the id of the template: tpl_...')
  .action(removeTemplate);

const share = program.command('share').description('directories shared between projects');
share
  .command('create')
  .description('let another project of the organisation see the directory of a project')
  .requiredOption('--project <name>', 'the project whose people are shared')
  .requiredOption('--to <name>', 'the project that sees them')
  .addOption(json)
  .action(createShare);
share
  .command('remove')
  .description('end a share')
  .requiredOption('--project <name>', 'the project whose people are shared')
  .requiredOption('--to <name>', 'the project that sees them')
  .action(removeShare);

const webhook = program.command('webhook').description('webhooks');
webhook
  .command('rotate-secret')
  .description('make a new signing secret, shown once; the one before signs beside it for 24 hours')
  .requiredOption('--project <name>', 'the project of the webhook')
  .requiredOption('--id <id>', 'the id of the webhook: wh_...')
  .addOption(json)
  .action(rotateWebhookSecret);
webhook
  .command('replay')
  .description('send a failed delivery again, with all its attempts')
  .requiredOption('--project <name>', 'the project of the delivery')
  .requiredOption('--delivery <id>', 'the id of the delivery: dlv_...')
  .action(replayWebhook);

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
