import { type Command, Option } from 'commander';
import { wakeQueue } from '../../db/notify.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { cancelEmail } from '../../sending/deliver/cancel-email.ts';
import { requeue } from '../../sending/deliver/requeue.ts';
import {
  example,
  idFrom,
  json,
  noSuch,
  print,
  type ProjectOptions,
  projectOption,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';
import { limitFrom, listProjectEmails, timeFrom } from './email/list.ts';

const ID = ['--id <id>', 'the id of the email: em_...'] as const;
const SAMPLE = '--project default --id em_01M7X0JR7PEV0VHC0B1T6YJNFF';

export function defineEmail(email: Command): void {
  email
    .command('list')
    .description('list the emails of a project, newest first')
    .addOption(projectOption('the project'))
    .addOption(
      new Option('--limit <count>', 'maximum number of emails, 1 to 200').argParser(limitFrom).default(50),
    )
    .addOption(new Option('--status <status>', 'only emails with this status').choices(EMAIL_STAGES))
    .option('--to <address>', 'only emails to this address')
    .option('--from <address>', 'only emails from this address')
    .option('--tag <tag>', 'only emails with this tag')
    .addOption(
      new Option(
        '--since <time>',
        'only emails created at this time or later: 2027-01-31 or 2027-01-31T12:00:00Z',
      ).argParser(timeFrom),
    )
    .addOption(new Option('--until <time>', 'only emails created before this time').argParser(timeFrom))
    .option('--cursor <cursor>', 'continue a list: the cursor printed at the end of the previous page')
    .addOption(json)
    .addHelpText('after', example('email list --project default --status bounced --limit 20'))
    .action(listProjectEmails);
  email
    .command('show')
    .description('show an email and its timeline')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email show ${SAMPLE}`))
    // Load lazily, because the event schemas take a tenth of a second to load.
    .action(async (options) => (await import('./email/show.ts')).showEmail(options));
  email
    .command('raw')
    .description('print the message of an email as it is sent: headers, blank line, body')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email raw ${SAMPLE} > message.eml`))
    // Load lazily, because this module needs the code that composes and signs messages.
    .action(async (options) => (await import('./email/raw.ts')).showRawEmail(options));
  email
    .command('retry')
    .description('retry an email that failed with reason "internal"')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email retry ${SAMPLE}`))
    .action(retryEmail);
  email
    .command('cancel')
    .description('cancel an email for the recipients to whom it has not been sent yet')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email cancel ${SAMPLE}`))
    .action(cancel);
  email
    .command('erase')
    .description(
      'erase one email, or the data stored about a person as a recipient, not as a sender (docs/operate/retention.md, "Erasing"); pending mail is cancelled',
    )
    .option('--project <name>', 'the project; default with --address: all projects')
    .option('--id <id>', 'the id of the email: em_...')
    .option('--address <address>', 'the email address of the person, in upper or lower case')
    .option(
      '--suppressions',
      'also erase the suppression list entries of the address, which prevent mail to it',
    )
    .addOption(json)
    .addHelpText('after', example('email erase --address ada@example.com'))
    .action(async (options) => (await import('./email/erase.ts')).erase(options));
  addDeclared(email);
}

async function cancel({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    if (!(await cancelEmail(database, projectId, idFrom('em', id)))) throw noSuch(project, 'email');
    await wakeQueue(database);
    print(json, { id, cancelled: true }, 'Cancelled. No further recipients will get this email.');
  });
}

async function retryEmail({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const recipients = await requeue(database, projectId, idFrom('em', id));
    if (recipients === 0) throw noSuch(project, 'email that failed with reason "internal"');
    const text = `Queued again for ${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}.`;
    print(json, { id, recipients }, text);
  });
}
