/** What rules ask of the names that a reader sees. */
import { parse as parseHost } from 'tldts';
import type { Mail } from '../mail.ts';

function organization(domain: string): string {
  return parseHost(domain).domain ?? domain;
}

/** `"service@bank.example" <x@evil.example>`: many readers show the name alone. */
export function nameIsOtherAddress({ from }: Mail): boolean {
  const shown = /@([a-z0-9.-]{3,253}\.[a-z]{2,20})/i.exec(from.name)?.[1]?.toLowerCase();
  return shown !== undefined && from.domain !== '' && organization(shown) !== organization(from.domain);
}

/** Where anybody has an address at once. */
const FREE: ReadonlySet<string> = new Set(
  'gmail.com googlemail.com yahoo.com outlook.com hotmail.com live.com aol.com gmx.com gmx.de mail.com mail.ru yandex.ru yandex.com proton.me protonmail.com icloud.com 163.com 126.com qq.com'.split(
    ' ',
  ),
);

/** A letter that seems to be of a company, and asks to answer to a mailbox of anybody. */
export function repliesGoElsewhere({ from, replyTo }: Mail): boolean {
  return FREE.has(replyTo.domain) && from.domain !== '' && replyTo.domain !== from.domain;
}
