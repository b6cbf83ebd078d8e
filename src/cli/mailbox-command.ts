/** What commands about one mailbox have in common. */
import type { Command } from 'commander';
import type { Config } from '../app/config.ts';
import { mailDomains } from '../app/mail-domains.ts';
import type { Database } from '../db/database.ts';
import { SendingDomains, trustsHand } from '../domains/sending-domains.ts';
import { findMailbox } from '../mailboxes/find-mailbox.ts';
import { checkTarget } from '../receiving/forward/check-target.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { json, projectOption, type ProjectOptions, withProject } from './command.ts';

export type MailboxOptions = ProjectOptions & { address: string };

/** Adds commands that are about the mailbox with an address. */
export function mailboxCommands(parent: Command): (name: string, what: string) => Command {
  return (name, what) =>
    parent
      .command(name)
      .description(what)
      .addOption(projectOption('the project of the mailbox'))
      .requiredOption('--address <address>', 'the address of the mailbox')
      .addOption(json);
}

/** @throws AppError validation-failed, not-found */
export function withMailbox(
  { project, address }: MailboxOptions,
  run: (database: Database, mailbox: MailboxKey, config: Config) => Promise<void>,
): Promise<void> {
  return withProject(project, async (database, projectId, config) =>
    run(database, { projectId, mailboxId: await findMailbox(database, projectId, address) }, config),
  );
}

/** @param targets in normal form @throws AppError validation-failed where mail of the mailbox cannot be forwarded to one */
export async function checkTargets(
  database: Database,
  mailbox: MailboxKey,
  config: Config,
  targets: readonly string[],
): Promise<void> {
  const sendingDomains = new SendingDomains(database, config.hostedDomain, {
    trustsHand: trustsHand(config),
  });
  const domains = { sendingDomains, mailDomains: mailDomains(config) };
  for (const target of targets) await checkTarget(database, domains, mailbox, target, 'to');
}
