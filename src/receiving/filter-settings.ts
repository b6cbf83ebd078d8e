/**
 * The filter settings of a mailbox (rules, blocked senders, vacation, forwarding), for the dashboard and the web client
 * (docs/rules.md).
 */
import type {
  AddMailboxRule,
  ChangeMailboxRule,
  MailboxFiling,
  MailboxForwarding,
  MailboxRule,
  MailboxVacation,
  RuleWords,
} from '../contract/mailbox-filing.ts';
import type { NewRule } from '../contract/rules.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { SendingDomains } from '../domains/sending-domains.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { checkTarget } from './forward/check-target.ts';
import { endForwarding, readForwarding, setForwarding } from './forward/forwarding.ts';
import {
  addSender,
  type ListedSender,
  listSenders,
  removeSender,
  type SenderList,
} from './rules/sender-lists.ts';
import type { ProjectMailDomains } from './inside/is-of-project.ts';
import { addRule, enableRule, listRules, moveRule, removeRule, replaceRule } from './rules/mailbox-rules.ts';
import { ruleFrom, targetsOf, wordsOfRule } from './rules/rule-in-words.ts';
import { targetFrom } from './rules/rule-words.ts';
import { endVacation, readVacation, setVacation } from './vacation/vacation.ts';

export interface FilterSettingsOptions {
  database: Database;
  sendingDomains: Pick<SendingDomains, 'find'>;
  mailDomains: ProjectMailDomains;
}

/** Methods that change filters throw AppError validation-failed, or not-found if the mailbox does not exist. */
export class FilterSettings {
  readonly #options: FilterSettingsOptions;

  constructor(options: FilterSettingsOptions) {
    this.#options = options;
  }

  /** @returns null if the project has no such mailbox */
  async read(mailbox: MailboxKey): Promise<MailboxFiling | null> {
    const { database } = this.#options;
    const { projectId, mailboxId: id } = mailbox;
    const found = await database
      .selectFrom('mailboxes')
      .select('id')
      .where((row) => rowIs(row, { projectId, id }))
      .executeTakeFirst();
    if (found === undefined) return null;
    const [rules, blocked, safe, vacation, { forwarding, failing }] = [
      await listRules(database, mailbox),
      await listSenders(database, mailbox, 'blocked'),
      await listSenders(database, mailbox, 'safe'),
      await readVacation(database, mailbox),
      await readForwarding(database, mailbox),
    ];
    return {
      rules: rules.map(wordsOfRule),
      blocked: blocked.map(shownSender),
      safe: safe.map(shownSender),
      vacation: vacation && {
        subject: vacation.subject,
        text: vacation.text,
        html: vacation.html,
        days: vacation.days,
        from: vacation.startsAt?.toISOString() ?? null,
        until: vacation.endsAt?.toISOString() ?? null,
      },
      forwarding: forwarding && { to: forwarding.target, keep: forwarding.keepsCopy },
      failing: failing.map(({ target, failures, since, offSince, reply }) => ({
        to: target,
        failures,
        since: since.toISOString(),
        off_since: offSince?.toISOString() ?? null,
        reply,
      })),
    };
  }

  async addRule(mailbox: MailboxKey, { position, ...words }: AddMailboxRule): Promise<MailboxRule> {
    const rule = await this.#ruleFrom(mailbox, words);
    return wordsOfRule(await addRule(this.#options.database, mailbox, rule, position ?? null));
  }

  async replaceRule(mailbox: MailboxKey, id: string, words: RuleWords): Promise<MailboxRule> {
    const rule = await this.#ruleFrom(mailbox, words);
    return wordsOfRule(await replaceRule(this.#options.database, mailbox, id, rule));
  }

  async changeRule(mailbox: MailboxKey, id: string, change: ChangeMailboxRule): Promise<true> {
    const { database } = this.#options;
    if (change.enabled !== undefined) await enableRule(database, mailbox, id, change.enabled);
    if (change.position !== undefined) await moveRule(database, mailbox, id, change.position);
    return true;
  }

  async removeRule(mailbox: MailboxKey, id: string): Promise<true> {
    await removeRule(this.#options.database, mailbox, id);
    return true;
  }

  async addSender(mailbox: MailboxKey, list: SenderList, sender: string): Promise<true> {
    await addSender(this.#options.database, mailbox, list, sender);
    return true;
  }

  async removeSender(mailbox: MailboxKey, list: SenderList, sender: string): Promise<true> {
    await removeSender(this.#options.database, mailbox, list, sender);
    return true;
  }

  async setVacation(mailbox: MailboxKey, { from, until, ...vacation }: MailboxVacation): Promise<true> {
    const [startsAt, endsAt] = [from, until].map((time) => (time === null ? null : new Date(time)));
    await setVacation(this.#options.database, mailbox, {
      ...vacation,
      startsAt: startsAt ?? null,
      endsAt: endsAt ?? null,
    });
    return true;
  }

  async endVacation(mailbox: MailboxKey): Promise<true> {
    await endVacation(this.#options.database, mailbox);
    return true;
  }

  async setForwarding(mailbox: MailboxKey, { to, keep }: MailboxForwarding): Promise<true> {
    const { database } = this.#options;
    const target = targetFrom(to, 'to');
    await checkTarget(database, this.#options, mailbox, target, 'to');
    await setForwarding(database, mailbox, target, keep);
    return true;
  }

  async endForwarding(mailbox: MailboxKey): Promise<true> {
    await endForwarding(this.#options.database, mailbox);
    return true;
  }

  async #ruleFrom(mailbox: MailboxKey, words: RuleWords): Promise<NewRule> {
    const { database } = this.#options;
    const rule = ruleFrom(words);
    for (const target of targetsOf(rule))
      await checkTarget(database, this.#options, mailbox, target, 'actions');
    return rule;
  }
}

/** A sender of a list as the doors show it. */
export function shownSender({ sender, createdAt }: ListedSender): { sender: string; created_at: string } {
  return { sender, created_at: createdAt.toISOString() };
}
