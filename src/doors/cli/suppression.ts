import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import type { Suppression, SuppressionList } from '../../contract/suppressions.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../model/suppression-reasons.ts';
import { csvLine } from '../../rfc/csv/csv.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { SUPPRESSION_COLUMNS, suppressionLine } from '../../sending/suppress/suppression-file.ts';
import type { Suppressions } from '../../sending/suppress/suppressions.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';
import { addDeclared } from './declared.ts';

export function defineSuppression(suppression: Command): void {
  suppression
    .command('list')
    .description('list the suppressed addresses of a project, one per line')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('suppression list --project default'))
    .action(listSuppressions);
  suppression
    .command('add')
    .description('suppress an address, so that it gets no more mail')
    .addOption(projectOption('the project'))
    .requiredOption('--address <address>', 'the address')
    .addOption(new Option('--reason <reason>', 'the reason').choices(SUPPRESSION_REASONS).default('manual'))
    .option('--expires <time>', 'when the entry expires: 2027-01-31 or 2027-01-31T12:00:00Z; default: never')
    .addOption(json)
    .addHelpText(
      'after',
      example('suppression add --project default --address ann@dst.example --reason unsubscribe'),
    )
    .action(addSuppression);
  suppression
    .command('remove')
    .description('remove an address from the suppression list')
    .addOption(projectOption('the project'))
    .requiredOption('--address <address>', 'the address')
    .addOption(json)
    .addHelpText('after', example('suppression remove --project default --address ann@dst.example'))
    .action(removeSuppression);
  suppression
    .command('import')
    .description('suppress the addresses in a file')
    .argument('<file>', 'CSV with a header row, or one address per line; - is standard input')
    .addOption(projectOption('the project'))
    .addOption(
      new Option('--reason <reason>', 'the reason for lines that have none')
        .choices(SUPPRESSION_REASONS)
        .default('manual'),
    )
    .addOption(json)
    .addHelpText(
      'after',
      example('suppression import ./unsubscribed.csv --project default --reason unsubscribe'),
    )
    .action(importSuppressions);
  suppression
    .command('export')
    .description('export the suppression list of a project as CSV, or as one JSON object per line')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('suppression export --project default > suppressions.csv'))
    .action(exportSuppressions);
  addDeclared(suppression);
}

const PAGE = 1_000;
/** How many characters of a file to import per call. */
const PIECE = 40_000;
const MAX_SHOWN = 200;

/** Prints one entry per line, newest first. */
async function listSuppressions(options: ProjectOptions): Promise<void> {
  await withProject(options.project, async ({ suppressions }, projectId) => {
    for await (const entry of entriesOf(suppressions, projectId)) {
      const { address, reason, created_at, expires_at } = entry;
      print(options.json, entry, [address, reason, created_at, expires_at ?? 'never'].join('\t'));
    }
  });
}

async function* entriesOf(suppressions: Suppressions, projectId: string): AsyncGenerator<Suppression> {
  let cursor: string | null = null;
  do {
    const page: SuppressionList = await suppressions.list(projectId, {
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    });
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

interface AddOptions extends ProjectOptions {
  address: string;
  reason: SuppressionReason;
  expires?: string;
}

/** Adds an address and prints the resulting entry. A stronger existing entry stays. */
async function addSuppression({ project, address, reason, expires, json }: AddOptions): Promise<void> {
  const expiresAt = expires === undefined ? null : new Date(expires);
  if (Number.isNaN(expiresAt?.getTime())) {
    throw validationError({ expires: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' });
  }
  await withProject(project, async ({ suppressions }, projectId) => {
    const { data } = await suppressions.add(projectId, {
      addresses: [address],
      reason,
      ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    });
    for (const entry of data) print(json, entry);
  });
}

async function removeSuppression(options: ProjectOptions & { address: string }): Promise<void> {
  const { project, address } = options;
  await withProject(project, async ({ suppressions }, projectId) => {
    const removed = await suppressions.remove(projectId, [address]);
    if (removed.length === 0) {
      throw new AppError(
        'not-found',
        `This address is not on the suppression list of the project ${project}.`,
      );
    }
    print(options.json, { address, removed: true }, `removed ${address}`);
  });
}

type ImportOptions = ProjectOptions & { reason: SuppressionReason };

async function importSuppressions(file: string, { project, reason, json }: ImportOptions): Promise<void> {
  const text = await textOf(file);
  await withProject(project, async ({ suppressions }, projectId) => {
    const total = { added: 0, known: 0, refused: 0 };
    let line = 1;
    for (let at = 0; at < text.length; ) {
      const piece = await suppressions.importFile(projectId, {
        text: text.slice(at, at + PIECE),
        is_end: at + PIECE >= text.length,
        reason,
        first_line: at === 0 ? null : text.slice(0, PIECE),
      });
      for (const refused of piece.refused)
        process.stderr.write(
          `line ${line + refused.line}: ${printable(refused.text, MAX_SHOWN)}: ${refused.error}\n`,
        );
      total.added += piece.added;
      total.known += piece.known;
      total.refused += piece.refused.length;
      line += piece.lines;
      at += piece.read;
    }
    const { added, known, refused } = total;
    print(
      json,
      total,
      `${added} added, ${known} already listed, ${refused} ${refused === 1 ? 'line' : 'lines'} rejected`,
    );
  });
}

/** @throws AppError bad-request if the file cannot be read or is not text */
async function textOf(file: string): Promise<string> {
  const bytes = await (file === '-' ? buffer(process.stdin) : readFile(file)).catch((error: unknown) => {
    throw new AppError('bad-request', `${file} cannot be read: ${(error as Error).message}`);
  });
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\0'))
    throw new AppError('bad-request', `${file} is not a text file. Save it as CSV in UTF-8.`);
  return text;
}

async function exportSuppressions({ project, json }: ProjectOptions): Promise<void> {
  await withProject(project, async ({ suppressions }, projectId) => {
    if (json !== true) process.stdout.write(csvLine(SUPPRESSION_COLUMNS));
    for await (const entry of entriesOf(suppressions, projectId))
      print(json, entry, suppressionLine(entry).trimEnd());
  });
}
