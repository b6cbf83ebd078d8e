/** The author of a message that a user redirects. */
import { organizationOf } from '../../domains/domain-name.ts';
import type { RedirectedAuthor } from '../../sending/submit/submitter.ts';
import type { Examiner } from '../examine/examiner.ts';
import { resultsField } from '../file/trace-fields.ts';

/**
 * Checks the signatures of a message that a user redirects. The client and the return path of the original message are not known, so SPF
 * says nothing.
 */
export async function authenticateRedirected(
  examiner: Pick<Examiner, 'examine'>,
  raw: Buffer,
): Promise<RedirectedAuthor> {
  const { authentication } = await examiner.examine({ raw, address: '', helo: '', mailFrom: '' });
  const { dkim, dmarc, policy, header } = authentication;
  const { domain } = dmarc;
  const isSigned =
    domain !== null &&
    dkim.some((one) => one.result === 'pass' && organizationOf(one.domain) === organizationOf(domain));
  // Attack: the user writes signatures whose keys are looked up so slowly that the policy of the author's domain remains unknown.
  const isUnknown = dmarc.result === 'temperror';
  return {
    domain,
    // A domain without a DMARC record cannot pass DMARC, but its signatures are just as valid.
    isGenuine: dmarc.result === 'pass' || (dmarc.result === 'none' && isSigned),
    isUncertain: isUnknown || dkim.some(({ result }) => result === 'temperror'),
    needsSignature: isUnknown || policy !== 'none',
    results: resultsField(header),
  };
}
