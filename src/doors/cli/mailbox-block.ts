import type { Command } from 'commander';
import { addSender, listSenders, removeSender } from '../../receiving/rules/sender-lists.ts';
import { example, print } from './command.ts';
import { mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { age, printList } from './table.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addBlockCommands(mailbox: Command): void {
  const block = mailbox
    .command('block')
    .description('manage the blocked senders of a mailbox (docs/rules.md)');
  const command = mailboxCommands(block);
  command('add', 'block an address, or a domain and its subdomains')
    .requiredOption('--sender <sender>', 'an address or a domain')
    .addHelpText('after', example(`mailbox block add ${MAILBOX} --sender shop.example`))
    .action(add);
  command('list', 'list the blocked senders of a mailbox')
    .addHelpText('after', example(`mailbox block list ${MAILBOX}`))
    .action(list);
  command('remove', 'unblock a sender')
    .requiredOption('--sender <sender>', 'an address or a domain')
    .addHelpText('after', example(`mailbox block remove ${MAILBOX} --sender shop.example`))
    .action(remove);
}

type SenderOptions = MailboxOptions & { sender: string };

async function add(options: SenderOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const sender = await addSender(database, mailbox, 'blocked', options.sender);
    print(options.json, { sender, blocked: true }, `blocked ${sender}`);
  });
}

async function list(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const data = (await listSenders(database, mailbox, 'blocked')).map(({ sender, createdAt }) => ({
      sender,
      created_at: createdAt.toISOString(),
    }));
    printList(
      options.json,
      { data },
      {
        columns: [{ title: 'AGE' }, { title: 'SENDER', isCut: true }],
        rowOf: ({ sender, created_at }) => [age(created_at), sender],
        none: `${options.address} has no blocked senders.`,
      },
    );
  });
}

async function remove(options: SenderOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const sender = await removeSender(database, mailbox, 'blocked', options.sender);
    print(options.json, { sender, blocked: false }, `unblocked ${sender}`);
  });
}
