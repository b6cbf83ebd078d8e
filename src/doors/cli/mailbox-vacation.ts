import { type Command, InvalidArgumentError, Option } from 'commander';
import { endVacation, readVacation, setVacation, type Vacation } from '../../receiving/vacation/vacation.ts';
import { example, print } from './command.ts';
import { mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { DAY_MS } from '../../model/day.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addVacationCommands(mailbox: Command): void {
  const vacation = mailbox
    .command('vacation')
    .description('an answer for the time the owner of a mailbox is away (docs/rules.md)');
  const command = mailboxCommands(vacation);
  command('set', 'answer people who write, from now on or at its time')
    .requiredOption('--text <text>', 'what the answer says')
    .option('--html <html>', 'the same as HTML')
    .option('--subject <subject>', 'without it: Auto: and the subject that it answers')
    .addOption(new Option('--from <time>', 'its first day (2026-12-20, UTC) or time').argParser(timeFrom))
    .addOption(new Option('--until <time>', 'its last day or its end').argParser(endFrom))
    .addOption(
      new Option('--days <count>', 'a sender gets no other answer for so long: 1 to 30')
        .argParser(Number)
        .default(7),
    )
    .addHelpText(
      'after',
      example(`mailbox vacation set ${MAILBOX} --text 'I am back on Monday.' --until 2027-01-03`),
    )
    .action(set);
  command('off', 'answer nobody any more')
    .addHelpText('after', example(`mailbox vacation off ${MAILBOX}`))
    .action(off);
  command('show', 'what is answered, and when')
    .addHelpText('after', example(`mailbox vacation show ${MAILBOX}`))
    .action(show);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function timeFrom(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It is a day such as 2026-12-20, or a time.');
  return time;
}

/** The last day counts. */
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
