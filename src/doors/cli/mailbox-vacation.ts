import { type Command, InvalidArgumentError, Option } from 'commander';
import { endVacation, readVacation, setVacation, type Vacation } from '../../receiving/vacation/vacation.ts';
import { example, print } from './command.ts';
import { mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { DAY_MS } from '../../model/day.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addVacationCommands(mailbox: Command): void {
  const vacation = mailbox
    .command('vacation')
    .description('manage the vacation reply of a mailbox (docs/rules.md)');
  const command = mailboxCommands(vacation);
  command('set', 'turn on the vacation reply, now or for a period')
    .requiredOption('--text <text>', 'the text of the reply')
    .option('--html <html>', 'the HTML version of the reply')
    .option('--subject <subject>', 'the subject; default: "Auto: " and the subject of the message')
    .addOption(
      new Option('--from <time>', 'the first day (2026-12-20, UTC) or the start time').argParser(timeFrom),
    )
    .addOption(new Option('--until <time>', 'the last day or the end time').argParser(endFrom))
    .addOption(
      new Option('--days <count>', 'reply to each sender at most once in this many days, 1 to 30')
        .argParser(Number)
        .default(7),
    )
    .addHelpText(
      'after',
      example(`mailbox vacation set ${MAILBOX} --text 'I will be back on Monday.' --until 2027-01-03`),
    )
    .action(set);
  command('off', 'turn off the vacation reply')
    .addHelpText('after', example(`mailbox vacation off ${MAILBOX}`))
    .action(off);
  command('show', 'show the vacation reply and its period')
    .addHelpText('after', example(`mailbox vacation show ${MAILBOX}`))
    .action(show);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function timeFrom(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a day such as 2026-12-20, or a time.');
  return time;
}

/** The end of a vacation. A date without a time is the last day of the vacation, which ends at the following midnight UTC. */
function endFrom(text: string): Date {
  const time = timeFrom(text);
  return DAY.test(text) ? new Date(time.getTime() + DAY_MS) : time;
}

interface SetOptions extends MailboxOptions {
  text: string;
  html?: string;
  subject?: string;
  from?: Date;
  until?: Date;
  days: number;
}

async function set(options: SetOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const vacation = {
      subject: options.subject ?? null,
      text: options.text,
      html: options.html ?? null,
      startsAt: options.from ?? null,
      endsAt: options.until ?? null,
      days: options.days,
    };
    await setVacation(database, mailbox, vacation);
    print(options.json, shown(vacation));
  });
}

async function off(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    await endVacation(database, mailbox);
    print(options.json, { vacation: 'off' });
  });
}

async function show(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const vacation = await readVacation(database, mailbox);
    print(options.json, vacation === null ? { vacation: 'off' } : shown(vacation));
  });
}

function shown({ subject, text, html, startsAt, endsAt, days }: Vacation) {
  return {
    vacation: 'on',
    subject,
    text,
    html,
    from: startsAt?.toISOString() ?? null,
    until: endsAt?.toISOString() ?? null,
    days,
  };
}
