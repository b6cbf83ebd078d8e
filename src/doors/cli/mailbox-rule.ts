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
import { addRuleImport } from './mailbox-rule-import.ts';
import { printList } from './table.ts';

const MAILBOX = '--project default --address sales@acme.example';

export function addRuleCommands(mailbox: Command): void {
  const rule = mailbox
    .command('rule')
    .description('manage the rules that sort the mail of a mailbox (docs/rules.md)');
  const command = mailboxCommands(rule);
  command('add', 'add a rule')
    .requiredOption('--name <name>', 'the name of the rule')
    .requiredOption(
      '--if <condition>',
      'a condition, such as "from contains @shop.example"; repeatable',
      collect,
    )
    .requiredOption('--then <action>', 'an action, such as "file Invoices"; repeatable', collect)
    .option('--any', 'match if any condition matches; default: all must match')
    .addOption(
      new Option('--position <number>', 'the position in the list, 1 or more; default: last').argParser(
        positionFrom,
      ),
    )
    .addHelpText(
      'after',
      example(
        `mailbox rule add ${MAILBOX} --name Invoices --if 'from contains @shop.example' --then 'file Invoices'`,
      ),
    )
    .action(add);
  command('change', 'replace the name, conditions and actions of a rule')
    .requiredOption('--id <id>', 'the id of the rule: rule_...')
    .requiredOption('--name <name>', 'the name of the rule')
    .requiredOption('--if <condition>', 'see "rule add"', collect)
    .requiredOption('--then <action>', 'see "rule add"', collect)
    .option('--any', 'match if any condition matches; default: all must match')
    .addHelpText(
      'after',
      example(
        `mailbox rule change ${MAILBOX} --id rule_... --name Invoices --if 'from is billing@shop.example' --then 'file Invoices'`,
      ),
    )
    .action(change);
  addRuleImport(command('import', 'convert a Sieve script of another mail server to rules, and append them'));
  command('list', 'list the rules of a mailbox in order')
    .addHelpText('after', example(`mailbox rule list ${MAILBOX}`))
    .action(list);
  command('move', 'move a rule to another position')
    .requiredOption('--id <id>', 'the id of the rule: rule_...')
    .addOption(
      new Option('--position <number>', 'the new position, 1 or more')
        .argParser(positionFrom)
        .makeOptionMandatory(),
    )
    .addHelpText('after', example(`mailbox rule move ${MAILBOX} --id rule_... --position 1`))
    .action(move);
  command('set', 'turn a rule on or off')
    .requiredOption('--id <id>', 'the id of the rule: rule_...')
    .addOption(
      new Option('--enabled <switch>', 'whether the rule applies')
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
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.');
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
