/** Shared parts of commands on mailboxes. */
import type { Command } from 'commander';
import type { Core } from '../../app/core.ts';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { checkTarget } from '../../receiving/forward/check-target.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { json, projectOption, type ProjectOptions, withProject } from './command.ts';

export type MailboxOptions = ProjectOptions & { address: string };

/** Returns a function that adds commands with the option `--address`, the mailbox to work on. */
export function mailboxCommands(parent: Command): (name: string, what: string) => Command {
  return (name, what) =>
    parent
      .command(name)
      .description(what)
      .addOption(projectOption('the project of the mailbox'))
      .requiredOption('--address <address>', 'the address of the mailbox')
      .addOption(json);
}

/** @throws AppError validation-failed, or not-found if the project or the mailbox does not exist */
export function withMailbox(
  { project, address }: MailboxOptions,
  run: (core: Core, mailbox: MailboxKey) => Promise<void>,
): Promise<void> {
  return withProject(project, async (core, projectId) =>
    run(core, { projectId, mailboxId: await findMailbox(core.database, projectId, address) }),
  );
}

/** @param targets addresses in normal form @throws AppError validation-failed if the mailbox may not forward mail to one of the targets */
export async function checkTargets(
  { database, sendingDomains, mailDomains }: Core,
  mailbox: MailboxKey,
  targets: readonly string[],
): Promise<void> {
  for (const target of targets)
    await checkTarget(database, { sendingDomains, mailDomains }, mailbox, target, 'to');
}

/**
 * The id of the domain of a new address, for the API's request bodies.
 * @param domain A-labels, lower case
 * @throws AppError validation-failed
 */
export async function domainOfAddress(
  database: Database,
  projectId: string,
  domain: string,
): Promise<string> {
  const found = await database
    .selectFrom('domains')
    .select('id')
    .where('projectId', 'in', [projectId, HOSTED_PROJECT_ID])
    .where('name', '=', domain)
    // Prefer the project's own claim over a domain of the installation, whose project id is the nil uuid and therefore last in descending
    // order.
    .orderBy('projectId', 'desc')
    .executeTakeFirst();
  if (found === undefined)
    throw validationError({ address: `${domain} is neither a domain of the project nor the hosted domain` });
  return encodeId('dom', found.id);
}
