/** The authentication results of a message that this instance sent itself. The message is genuine, so no DNS queries are made. */
import { fieldValue, type HeaderField } from '../../rfc/mime/index.ts';
import type { Arrival, Authentication, DkimCheck } from './authentication.ts';
import { writeOwnResults } from './authentication-results.ts';

/** The maximum number of signatures that this service adds to one message. */
const MAX_SIGNATURES = 8;

/**
 * The author was checked when the message was accepted (`check-sender.ts`), and the message was signed here with the keys of the
 * author's domain. No other signature is ours. The DNS records of those keys would prove nothing new, and a domain that was verified by hand may have no records.
 * @param authorDomain the domain of From, in lower case
 */
export function authenticateOwn(
  { mailFrom }: Pick<Arrival, 'mailFrom'>,
  { fields, authorDomain }: { fields: readonly HeaderField[]; authorDomain: string },
  hostname: string,
): Authentication {
  const dkim = fields
    .filter(({ name }) => name.toLowerCase() === 'dkim-signature')
    .map(ownSignature)
    // Attack: a user adds a field with the domain of a mailing list that the recipient knows.
    .filter(({ domain }) => domain === authorDomain && domain !== '')
    .slice(0, MAX_SIGNATURES);
  const isAuthors = dkim.length > 0;
  const results = {
    // SPF was not checked.
    spf: { result: 'none', domain: mailFrom.slice(mailFrom.lastIndexOf('@') + 1).toLowerCase() },
    dkim,
    dmarc: { result: isAuthors ? 'pass' : 'none', domain: authorDomain || null, published: 'none' },
    arc: { result: 'none', sealers: [] },
    iprev: { result: 'pass', name: hostname },
    policy: 'none',
  } as const;
  return { ...results, header: writeOwnResults(hostname, results) };
}

function ownSignature(field: HeaderField): DkimCheck {
  const value = fieldValue([field], field.name) ?? '';
  const tag = (name: string) => new RegExp(`(?:^|;)\\s*${name}=\\s*([^;\\s]+)`).exec(value)?.[1] ?? '';
  return {
    result: 'pass',
    domain: tag('d').toLowerCase(),
    selector: tag('s'),
    algorithm: tag('a').toLowerCase(),
  };
}
