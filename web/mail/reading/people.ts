/** Names of people, as messages give them: whatever stands in them was written by somebody else. */
import type { MailPerson } from '../../../src/contract/mail/conversations.ts';

/** What turns the direction of text, or is not seen: names must not change what stands beside them. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const MAX_NAME = 100;

/** Its name where it has one, else its address. */
export function shownName({ name, address }: MailPerson): string {
  const clean = (name ?? '').replaceAll(UNSEEN, '').trim().slice(0, MAX_NAME);
  return clean === '' ? shownAddress(address) : clean;
}

export function shownAddress(address: string): string {
  const clean = address.replaceAll(UNSEEN, '').trim();
  return clean === '' ? '(no address)' : clean;
}

/** As a row has it among others: "Ann". An address is whole: half of one looks like another. */
export function shortName(person: MailPerson): string {
  const whole = shownName(person);
  return whole.includes('@') ? whole : (whole.split(/[\s,]+/)[0] ?? whole);
}
