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
    .description('the emails of a project, newest first')
    .addOption(projectOption('the project'))
    .addOption(new Option('--limit <count>', 'how many: 1 to 200').argParser(limitFrom).default(50))
    .addOption(new Option('--status <status>', 'only emails with this status').choices(EMAIL_STAGES))
    .option('--to <address>', 'only emails to this address')
    .option('--from <address>', 'only emails from this address')
    .option('--tag <tag>', 'only emails with this tag')
    .addOption(
      new Option(
        '--since <time>',
        'only emails created then or later: 2027-01-31 or 2027-01-31T12:00:00Z',
      ).argParser(timeFrom),
    )
    .addOption(new Option('--until <time>', 'only emails created before').argParser(timeFrom))
    .option('--cursor <cursor>', 'go on where a list ended, which names the cursor')
    .addOption(json)
    .addHelpText('after', example('email list --project default --status bounced --limit 20'))
    .action(listProjectEmails);
  email
    .command('show')
    .description('an email with its timeline')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email show ${SAMPLE}`))
    // The schemas of events take a tenth of a second.
    .action(async (options) => (await import('./email/show.ts')).showEmail(options));
  email
    .command('raw')
    .description('the message of an email as it goes out: header, blank line, body')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email raw ${SAMPLE} > message.eml`))
    // It takes all that composes and signs messages.
    .action(async (options) => (await import('./email/raw.ts')).showRawEmail(options));
  email
    .command('retry')
    .description('try an email again that failed with reason "internal"')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email retry ${SAMPLE}`))
    .action(retryEmail);
  email
    .command('cancel')
    .description('take back what of an email is not sent yet')
    .addOption(projectOption('the project of the email'))
    .requiredOption(...ID)
    .addOption(json)
    .addHelpText('after', example(`email cancel ${SAMPLE}`))
    .action(cancel);
  email
    .command('erase')
    .description(
      'erase one email, or what is kept of one person as a recipient, not as a sender (docs/operate/retention.md, "What is not reached"); what waits is cancelled',
    )
    .option('--project <name>', 'the project; with --address all projects, unless it is named')
    .option('--id <id>', 'the id of the email: em_...')
    .option('--address <address>', 'the address of the person, in any case of its letters')
    .option('--suppressions', 'also its entries on the suppression list, which keep mail from it')
    .addOption(json)
    .addHelpText('after', example('email erase --address ada@example.com'))
    .action(async (options) => (await import('./email/erase.ts')).erase(options));
  addDeclared(email);
}

async function cancel({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    if (!(await cancelEmail(database, projectId, idFrom('em', id)))) throw noSuch(project, 'email');
    await wakeQueue(database);
    print(json, { id, cancelled: true }, 'Cancelled: whoever was not sent to will not be.');
  });
}

async function retryEmail({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const recipients = await requeue(database, projectId, idFrom('em', id));
    if (recipients === 0) throw noSuch(project, 'email that failed with reason "internal"');
    const forPeople = `${recipients} ${recipients === 1 ? 'recipient is' : 'recipients are'} on the queue again`;
    print(json, { id, recipients }, forPeople);
  });
}
