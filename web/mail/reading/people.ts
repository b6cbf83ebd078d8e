/** Names of people in messages. The names come from strangers. */
import type { MailPerson } from '../../../src/contract/mail/conversations.ts';

/** Characters that are invisible or change the text direction. Attack: a name that changes the text next to it. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const MAX_NAME = 100;

/** The name of a person; the address if the person has no name. */
export function shownName({ name, address }: MailPerson): string {
  const clean = (name ?? '').replaceAll(UNSEEN, '').trim().slice(0, MAX_NAME);
  return clean === '' ? shownAddress(address) : clean;
}

export function shownAddress(address: string): string {
  const clean = address.replaceAll(UNSEEN, '').trim();
  return clean === '' ? '(no address)' : clean;
}

/** The address of the author of a message, for comparisons. */
export function senderOf({ from }: { from: readonly MailPerson[] }): string {
  return (from[0]?.address ?? '').toLowerCase();
}

/** The first name of a person, for a row. Addresses are never shortened, because a part could look like another address. */
export function shortName(person: MailPerson): string {
  const whole = shownName(person);
  return whole.includes('@') ? whole : (whole.split(/[\s,]+/)[0] ?? whole);
}
