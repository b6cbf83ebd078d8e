/** What the rules mean, in words for users. docs/operate/spam.md has the same words. */
import { meaningOfListing } from '../blocklists/list-settings.ts';
import { RULES } from './rules.ts';

/** The reasons that follow from what was learned (`learned.ts`, `senders.ts`). */
export const LEARNED_MEANINGS: Readonly<Record<string, string>> = {
  LEARNED_VARIANT: 'a variant of messages that the mailbox moved into Junk',
  LEARNED_VARIANT_3: 'a variant of messages that three mailboxes of the project moved into Junk',
  LEARNED_SIMILAR: 'similar to messages that the mailbox moved into Junk',
  LEARNED_DOMAIN: 'the mailbox moved other mail from the domain of this author into Junk, and kept none',
  LEARNED_WANTED:
    'a variant of messages that the mailbox treated as wanted; the trained classifier does not count',
  LEARNED_99: 'by its words, spam with a probability of at least 99 %',
  LEARNED_95: 'by its words, spam with a probability of at least 95 %',
  LEARNED_80: 'by its words, spam with a probability of at least 80 %',
  LEARNED_20: 'by its words, spam with a probability of at most 20 %; the trained classifier does not count',
  LEARNED_05: 'by its words, spam with a probability of at most 5 %; the trained classifier does not count',
  SENDER_MARKED: 'the last action on mail of this author was to move it into Junk',
  SENDER_SAFE: 'the author is a safe sender',
  OWN_DOMAIN_UNPROVEN: 'the author is at a domain of this installation, but nothing proves it',
  SENDER_KNOWN:
    'the mailbox wrote to this author, or treated mail of this author or this mailing list as wanted',
};

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...RULES.map(({ name, meaning }) => [name, meaning] as const),
  ...Object.entries(LEARNED_MEANINGS),
]);

/** The meaning of a rule; the name for a rule of rspamd, or of another version. */
export function meaningOf(rule: string): string {
  return MEANINGS.get(rule) ?? meaningOfListing(rule) ?? rule;
}
