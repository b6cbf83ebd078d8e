/** Spam rules about the names that the recipient sees. */
import { organizationOf } from '../../../domains/domain-name.ts';
import type { Mail } from '../mail.ts';
import { BRANDS } from './brands.ts';
import { MAIL_PROVIDERS } from './mail-providers.ts';

/** A name that looks like another address, such as `"service@bank.example" <x@evil.example>`. Many mail clients show only the name. */
export function nameIsOtherAddress({ from }: Mail): boolean {
  const shown = /@([a-z0-9.-]{3,253}\.[a-z]{2,20})/i.exec(from.name)?.[1]?.toLowerCase();
  return shown !== undefined && from.domain !== '' && organizationOf(shown) !== organizationOf(from.domain);
}

/**
 * The From name is that of a well-known company, and no part of the address's domain has that name. A part may be between hyphens, as in
 * `paypal-community.com`, because companies have such domains too.
 */
export function nameIsOtherCompany({ from }: Mail): boolean {
  const labels = from.domain.split('.').flatMap((label) => [label, ...label.split('-')]);
  return BRANDS.some(([name, own]) => name.test(from.name) && !labels.some((label) => own.includes(label)));
}

/** A message that seems to come from a company but asks for replies to a free mailbox. */
export function repliesGoElsewhere({ from, replyTo }: Mail): boolean {
  return MAIL_PROVIDERS.has(replyTo.domain) && from.domain !== '' && replyTo.domain !== from.domain;
}
