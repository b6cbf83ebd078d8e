import type { Command } from 'commander';
import { addBlock, listBlocks, removeBlock } from '../../receiving/rules/block-list.ts';
import { example, print } from './command.ts';
import { mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { age, printList } from './table.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addBlockCommands(mailbox: Command): void {
  const block = mailbox
    .command('block')
    .description('senders from whom a mailbox takes nothing (docs/rules.md)');
  const command = mailboxCommands(block);
  command('add', 'refuse mail of an address, or of a domain and all below it')
    .requiredOption('--sender <sender>', 'an address or a domain')
    .addHelpText('after', example(`mailbox block add ${MAILBOX} --sender shop.example`))
    .action(add);
  command('list', 'the senders that a mailbox blocks')
    .addHelpText('after', example(`mailbox block list ${MAILBOX}`))
    .action(list);
  command('remove', 'take mail of a sender again')
    .requiredOption('--sender <sender>', 'an address or a domain')
    .addHelpText('after', example(`mailbox block remove ${MAILBOX} --sender shop.example`))
    .action(remove);
}

type SenderOptions = MailboxOptions & { sender: string };

async function add(options: SenderOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const sender = await addBlock(database, mailbox, options.sender);
    print(options.json, { sender, blocked: true }, `blocked ${sender}`);
  });
}

async function list(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const data = (await listBlocks(database, mailbox)).map(({ sender, createdAt }) => ({
      sender,
      created_at: createdAt.toISOString(),
    }));
    printList(
      options.json,
      { data },
      {
        columns: [{ title: 'AGE' }, { title: 'SENDER', isCut: true }],
        rowOf: ({ sender, created_at }) => [age(created_at), sender],
        none: `${options.address} blocks nobody.`,
      },
    );
  });
}

async function remove(options: SenderOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const sender = await removeBlock(database, mailbox, options.sender);
    print(options.json, { sender, blocked: false }, `${sender} is not blocked any more`);
  });
}
