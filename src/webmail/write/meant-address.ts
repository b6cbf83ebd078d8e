import type { MailboxAddress } from '../../rfc/address/index.ts';

/** Where most people have their mail. */
const LARGE =
  'gmail.com googlemail.com hotmail.com outlook.com yahoo.com icloud.com protonmail.com web.de t-online.de gmx.net freenet.de orange.fr wanadoo.fr libero.it comcast.net verizon.net'.split(
    ' ',
  );
/** Domains that are as near, and are others' own. */
const REAL: ReadonlySet<string> = new Set(
  'mail.com email.com ymail.com gmx.de gmx.com gmx.at gmx.ch gmx.us gmx.fr hotmail.co hotmail.de hotmail.fr hotmail.it hotmail.es outlook.de outlook.fr outlook.it outlook.es yahoo.co yahoo.de yahoo.fr yahoo.it yahoo.es yahoo.ca yahoo.in googlemail.co gail.com mailweb.de orange.pl orange.ro wb.de we.de eb.de'.split(
    ' ',
  ),
);

/** The address that was probably meant, where a domain differs from that of a large provider by one letter. */
export function meantAddress({
  localPart,
  domain,
}: Pick<MailboxAddress, 'localPart' | 'domain'>): string | null {
  if (LARGE.includes(domain) || REAL.has(domain)) return null;
  const meant = LARGE.find((large) => isOneOff(domain, large));
  return meant === undefined ? null : `${localPart}@${meant}`;
}

/** One letter more, less or other, or two that changed places. */
function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length > b.length) return a.slice(at + 1) === b.slice(at);
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
  return isSwapped || a.slice(at + 1) === b.slice(at + 1);
}
