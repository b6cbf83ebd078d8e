import { type Command, Option } from 'commander';
import { endForwarding, readForwarding, setForwarding } from '../../receiving/forward/forwarding.ts';
import { targetFrom } from '../../receiving/rules/rule-words.ts';
import { example, print } from './command.ts';
import { checkTargets, mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addForwardCommands(mailbox: Command): void {
  const forward = mailbox
    .command('forward')
    .description('forward the mail of a mailbox to another address (docs/rules.md)');
  const command = mailboxCommands(forward);
  command('set', 'forward mail received from now on')
    .requiredOption('--to <address>', 'the address to forward to')
    .addOption(
      new Option('--keep <switch>', 'keep a copy in the mailbox').choices(['on', 'off']).default('on'),
    )
    .addHelpText('after', example(`mailbox forward set ${MAILBOX} --to anna@elsewhere.example`))
    .action(set);
  command('off', 'stop forwarding; rules that forward mail still apply')
    .addHelpText('after', example(`mailbox forward off ${MAILBOX}`))
    .action(off);
  command('show', 'show the forwarding address, and targets that reject forwarded mail')
    .addHelpText('after', example(`mailbox forward show ${MAILBOX}`))
    .action(show);
}

async function set(options: MailboxOptions & { to: string; keep: 'on' | 'off' }): Promise<void> {
  await withMailbox(options, async (core, mailbox) => {
    const { database } = core;
    const to = targetFrom(options.to, 'to');
    await checkTargets(core, mailbox, [to]);
    const { target } = await setForwarding(database, mailbox, to, options.keep === 'on');
    print(options.json, { to: target, keep: options.keep });
  });
}

async function off(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    await endForwarding(database, mailbox);
    print(options.json, { to: null });
  });
}

async function show(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const { forwarding, failing } = await readForwarding(database, mailbox);
    print(options.json, {
      to: forwarding?.target ?? null,
      ...(forwarding !== null && { keep: forwarding.keepsCopy ? 'on' : 'off' }),
      failing: failing.map(({ target, failures, since, offSince, reply }) =>
        options.json === true
          ? {
              to: target,
              failures,
              since: since.toISOString(),
              off_since: offSince?.toISOString() ?? null,
              reply,
            }
          : `${target} (${failures} failures since ${since.toISOString()}${offSince === null ? '' : ', turned off'}: ${reply})`,
      ),
    });
  });
}
