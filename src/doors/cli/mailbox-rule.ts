import { type Command, InvalidArgumentError, Option } from 'commander';
import type { NewRule } from '../../contract/rules.ts';
import {
  addRule,
  enableRule,
  listRules,
  moveRule,
  replaceRule,
} from '../../receiving/rules/mailbox-rules.ts';
import { ruleFrom, targetsOf, wordsOfRule } from '../../receiving/rules/rule-in-words.ts';
import { example, idFrom, print } from './command.ts';
import { addDeclared } from './declared.ts';
import { checkTargets, mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { printList } from './table.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addRuleCommands(mailbox: Command): void {
  const rule = mailbox.command('rule').description('rules that sort the mail of a mailbox (docs/rules.md)');
  const command = mailboxCommands(rule);
  command('add', 'add a rule')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--if <condition>', 'such as: from contains @shop.example. As often as needed', collect)
    .requiredOption('--then <action>', 'such as: file Invoices. As often as needed', collect)
    .option('--any', 'one of the conditions is enough')
    .addOption(
      new Option('--position <number>', 'from 1 on; without it, behind all others').argParser(positionFrom),
    )
    .addHelpText(
      'after',
      example(
        `mailbox rule add ${MAILBOX} --name Invoices --if 'from contains @shop.example' --then 'file Invoices'`,
      ),
    )
    .action(add);
  command('change', 'put other conditions and actions in the place of those of a rule')
    .requiredOption('--id <id>', 'its id: rule_...')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--if <condition>', 'as of "rule add"', collect)
    .requiredOption('--then <action>', 'as of "rule add"', collect)
    .option('--any', 'one of the conditions is enough')
    .addHelpText(
      'after',
      example(
        `mailbox rule change ${MAILBOX} --id rule_... --name Invoices --if 'from is billing@shop.example' --then 'file Invoices'`,
      ),
    )
    .action(change);
  command('list', 'the rules of a mailbox, in their order')
    .addHelpText('after', example(`mailbox rule list ${MAILBOX}`))
    .action(list);
  command('move', 'give a rule another place in the order')
    .requiredOption('--id <id>', 'its id: rule_...')
    .addOption(new Option('--position <number>', 'from 1 on').argParser(positionFrom).makeOptionMandatory())
    .addHelpText('after', example(`mailbox rule move ${MAILBOX} --id rule_... --position 1`))
    .action(move);
  command('set', 'switch a rule on or off')
    .requiredOption('--id <id>', 'its id: rule_...')
    .addOption(
      new Option('--enabled <switch>', 'whether it is looked at')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .addHelpText('after', example(`mailbox rule set ${MAILBOX} --id rule_... --enabled off`))
    .action(set);
  addDeclared(rule);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function positionFrom(text: string): number {
  const position = Number(text);
  if (!Number.isInteger(position) || position < 1 || position > 1_000)
    throw new InvalidArgumentError('It is a number from 1 on.');
  return position;
}

interface RuleOptions extends MailboxOptions {
  name: string;
  if: readonly string[];
  then: readonly string[];
  any?: boolean;
}

function ruleOf(options: RuleOptions): NewRule {
  return ruleFrom({
    name: options.name,
    match: options.any === true ? 'any' : 'all',
    conditions: [...options.if],
    actions: [...options.then],
  });
}

async function change(options: RuleOptions & { id: string }): Promise<void> {
  const rule = ruleOf(options);
  await withMailbox(options, async (core, mailbox) => {
    const { database } = core;
    await checkTargets(core, mailbox, targetsOf(rule));
    const changed = await replaceRule(database, mailbox, idFrom('rule', options.id), rule);
    print(options.json, wordsOfRule(changed));
  });
}

async function add(options: RuleOptions & { position?: number }): Promise<void> {
  const rule = ruleOf(options);
  await withMailbox(options, async (core, mailbox) => {
    const { database } = core;
    await checkTargets(core, mailbox, targetsOf(rule));
    print(options.json, wordsOfRule(await addRule(database, mailbox, rule, options.position ?? null)));
  });
}

async function list(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const data = (await listRules(database, mailbox)).map(wordsOfRule);
    printList(
      options.json,
      { data },
      {
        columns: [
          { title: '#' },
          { title: 'ID' },
          { title: 'ON' },
          { title: 'NAME', isCut: true },
          { title: 'IF', isCut: true },
          { title: 'THEN', isCut: true },
        ],
        rowOf: (rule) => [
          String(rule.position),
          rule.id,
          rule.enabled ? 'on' : 'off',
          rule.name,
          rule.conditions.join(rule.match === 'any' ? ' or ' : ' and '),
          rule.actions.join(', '),
        ],
        none: `${options.address} has no rules.`,
      },
    );
  });
}

async function move(options: MailboxOptions & { id: string; position: number }): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const position = await moveRule(database, mailbox, idFrom('rule', options.id), options.position);
    print(options.json, { id: options.id, position });
  });
}

async function set(options: MailboxOptions & { id: string; enabled: 'on' | 'off' }): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const enabled = options.enabled === 'on';
    await enableRule(database, mailbox, idFrom('rule', options.id), enabled);
    print(options.json, { id: options.id, enabled });
  });
}
