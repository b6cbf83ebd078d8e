/** Names of people in messages. Their content comes from strangers. */
import type { MailPerson } from '../../../src/contract/mail/conversations.ts';

/** Characters that change the text direction or are invisible: a name must not affect the text next to it. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const MAX_NAME = 100;

/** The name if there is one, otherwise the address. */
export function shownName({ name, address }: MailPerson): string {
  const clean = (name ?? '').replaceAll(UNSEEN, '').trim().slice(0, MAX_NAME);
  return clean === '' ? shownAddress(address) : clean;
}

export function shownAddress(address: string): string {
  const clean = address.replaceAll(UNSEEN, '').trim();
  return clean === '' ? '(no address)' : clean;
}

/** The first name, as in a row: "Ann". Addresses are never shortened, because a part of one looks like another address. */
export function shortName(person: MailPerson): string {
  const whole = shownName(person);
  return whole.includes('@') ? whole : (whole.split(/[\s,]+/)[0] ?? whole);
}
