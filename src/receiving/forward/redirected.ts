/** Checks the messages of other authors that a user redirects (decision 139). */
import type { Database } from '../../db/database.ts';
import { organizationOf } from '../../domains/domain-name.ts';
import { unavailable } from '../../model/app-error.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import type { RedirectedAuthor, ShownSender } from '../../sending/submit/check-identities.ts';
import { type RejectedMail, rejectedMail } from '../../sending/submit/submitted-mail.ts';
import type { Examiner } from '../examine/examiner.ts';
import { resultsField } from '../file/trace-fields.ts';

/**
 * Checks the signatures of a message that a user redirects. The client and the return path of the original message are not known, so SPF
 * says nothing.
 *
 * Attack: the user writes the message, with the address or the name of a colleague. The return path then passes SPF for the colleague's
 * domain, and so DMARC, which counts SPF of the organizational domain. If only the name is the colleague's, recipients see the name, and a
 * return path of the colleague's organization.
 *
 * @returns the Authentication-Results field with all results, with CRLF; or the rejection
 * @throws AppError unavailable
 */
export async function checkRedirected(
  { database, examiner }: { database: Database; examiner: Pick<Examiner, 'examine'> },
  projectId: string,
  raw: Buffer,
  { from, sender, ownDomains }: RedirectedAuthor,
): Promise<string | RejectedMail> {
  const { domain } = from;
  const domains = await database
    .selectFrom('domains')
    .select('name')
    .where('projectId', '=', projectId)
    .execute();
  const own = new Set([...ownDomains, ...domains.map(({ name }) => name)].map(organizationOf));
  const isOwn = (name: string) => own.has(organizationOf(name));
  // A signature that covers Sender only if it is there says nothing about a Sender that was added, and some mail clients show Sender first.
  if (sender !== null) {
    const isColleague = isOwn(sender.domain);
    if (isColleague && sender.address !== from.address)
      return rejected('Sender is an address of your organization, and not the author.');
    const fault = isColleague ? secondAddressIn(sender) : imitationIn(sender, isOwn);
    if (fault !== null) return rejected(`Sender ${fault}.`);
  }
  const { authentication } = await examiner.examine({ raw, address: '', helo: '', mailFrom: '' });
  const { dkim, dmarc, header } = authentication;
  const isUnknown = dmarc.result === 'temperror';
  if (dmarc.domain === null || parseDomain(dmarc.domain) !== domain)
    return isUnknown ? uncertain() : rejected('The domain of the address in From is ambiguous.');
  // A domain without a DMARC record cannot pass DMARC, but its signatures are just as valid.
  const isSigned = dkim.some(
    (one) => one.result === 'pass' && organizationOf(one.domain) === organizationOf(domain),
  );
  const isGenuine = dmarc.result === 'pass' || (dmarc.result === 'none' && isSigned);
  // Attack: the user writes signatures whose keys are looked up so slowly that the policy of the author's domain remains unknown.
  const needsSignature = isUnknown || (dmarc.result === 'fail' && dmarc.published !== 'none');
  const fault = isGenuine ? null : faultOf(from, needsSignature, isOwn);
  if (fault === null) return resultsField(header);
  return isUnknown || dkim.some(({ result }) => result === 'temperror') ? uncertain() : rejected(fault);
}

/** Attack: in the name `boss@acme.test’s office`, the part after the @ is a valid domain, but readers see a shorter one. */
const DOMAIN_AT_START = /^[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}]/u;

/** The reason why the author needs a valid signature. Null: the author needs none. */
function faultOf(
  from: ShownSender,
  needsSignature: boolean,
  isOwn: (domain: string) => boolean,
): string | null {
  if (needsSignature || isOwn(from.domain))
    return `Mail from ${from.domain} needs a valid DKIM signature, and the signature of this message is missing or broken.`;
  const imitation = imitationIn(from, isOwn);
  return imitation === null ? null : `From ${imitation}, and the author has no valid DKIM signature.`;
}

/** The reason why readers could take the sender for a colleague. */
function imitationIn(
  { shownDomains, hasInvisibleCharacter }: ShownSender,
  isOwn: (domain: string) => boolean,
): string | null {
  if (hasInvisibleCharacter) return 'has an invisible character';
  const namesColleague = shownDomains.some((shown) =>
    [shown, DOMAIN_AT_START.exec(shown)?.[0] ?? ''].some((text) => {
      const parsed = parseDomain(text);
      return typeof parsed === 'object' || isOwn(parsed);
    }),
  );
  return namesColleague ? 'contains an address of your organization' : null;
}

/** A sender in the organization shows an own address in any case. */
function secondAddressIn({ shownDomains }: ShownSender): string | null {
  return shownDomains.length > 1 ? 'contains a second address' : null;
}

function rejected(fault: string): RejectedMail {
  return rejectedMail('senderNotAllowed', `${fault} Forward the message instead of redirecting it.`);
}

function uncertain(): never {
  throw unavailable('The signature of the author cannot be checked at the moment. Try again later.');
}
