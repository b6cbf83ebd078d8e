import type { Command } from 'commander';
import { AppError } from '../../model/app-error.ts';
import { convertSieve, type SieveRemark } from '../../receiving/rules/convert-sieve.ts';
import { importFilters } from '../../receiving/rules/mailbox-rules.ts';
import { targetsOf, wordsOfNewRule, wordsOfRule } from '../../receiving/rules/rule-in-words.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { readInput } from './bodies.ts';
import { example, print } from './command.ts';
import { checkTargets, type MailboxOptions, withMailbox } from './mailbox-command.ts';

/** The exit code of an import that left out parts of the script. */
const LEFT_OUT = 3;
/** The texts of a script are untrusted. */
const MAX_LINE = 1_000;

interface ImportOptions extends MailboxOptions {
  dryRun?: true;
  partial?: true;
}

export function addRuleImport(command: Command): void {
  command
    .argument('<file>', 'a Sieve script, or - for standard input')
    .option('--dry-run', 'show the rules, but do not store them')
    .option('--partial', 'import the rest if some commands cannot be converted')
    .addHelpText(
      'after',
      example('mailbox rule import ~/ann.sieve --project default --address ann@acme.example --dry-run'),
    )
    .action(importRules);
}

async function importRules(path: string, options: ImportOptions): Promise<void> {
  const converted = convertSieve(readInput(path, 'file').toString());
  if ('error' in converted)
    throw new AppError('bad-request', `Line ${converted.line} of the script: ${converted.error}.`);
  const { rules, vacation, differences, notConverted } = converted;
  const isStored = options.dryRun !== true && (notConverted.length === 0 || options.partial === true);
  await withMailbox(options, async (core, mailbox) => {
    await checkTargets(core, mailbox, rules.flatMap(targetsOf));
    const shown = isStored
      ? (await importFilters(core.database, mailbox, { rules, vacation })).map(wordsOfRule)
      : rules.map(wordsOfNewRule);
    const result = {
      imported: isStored,
      rules: shown,
      vacation:
        vacation === null ? null : { subject: vacation.subject, text: vacation.text, days: vacation.days },
      differences,
      not_converted: notConverted,
    };
    const lines = [
      ...shown.map(
        ({ name, match, conditions, actions }) =>
          `${name}: if ${conditions.join(match === 'any' ? ' or ' : ' and ')}, then ${actions.join(', ')}`,
      ),
      ...(vacation === null ? [] : [`vacation reply: ${vacation.text}`]),
      ...differences.map(remark('differs')),
      ...notConverted.map(remark('not converted')),
      isStored ? `Imported ${shown.length} rules.` : 'Nothing was imported.',
      ...(notConverted.length > 0 && !isStored && options.dryRun !== true
        ? ['Change these lines of the script, or import the rest with --partial.']
        : []),
    ];
    print(options.json, result, lines.map((line) => printable(line, MAX_LINE)).join('\n'));
    if (notConverted.length > 0) process.exitCode = LEFT_OUT;
  });
}

function remark(kind: string) {
  return ({ line, text }: SieveRemark): string => `line ${line}, ${kind}: ${text}`;
}
