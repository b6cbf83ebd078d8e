/** Explains to the reader whether a message is genuine, from the checks made on receipt. Claims in the message itself do not count. */
import type { Authentication } from '../../../receiving/authenticate/authentication.ts';

export interface AuthenticationWords {
  /** `unknown` if the message was not checked. */
  verdict: 'pass' | 'fail' | 'none' | 'unknown';
  text: string;
  details: string[];
}

type Results = Omit<Authentication, 'header'>;

const SPF: Readonly<Record<Results['spf']['result'], string>> = {
  pass: 'is allowed to send for the domain',
  fail: 'is not allowed to send for the domain',
  softfail: 'is probably not allowed to send for the domain',
  neutral: 'is neither allowed nor forbidden to send for the domain',
  none: 'could not be checked: the domain does not publish which servers may send for it',
  temperror: 'could not be checked: DNS did not answer',
  permerror: 'could not be checked: the record of the domain has an error',
};
const DKIM: Readonly<Record<Results['dkim'][number]['result'], string>> = {
  pass: 'is valid',
  fail: 'is invalid: the message was changed, or signed by someone else',
  neutral: 'could not be read',
  policy: 'covers only a part of the message, so it does not count',
  temperror: 'could not be checked: DNS did not answer',
  permerror: 'could not be checked: its key was not found',
};

export function authenticationWords(found: Results | null): AuthenticationWords {
  if (found === null)
    return {
      verdict: 'unknown',
      text: 'This message was added to the mailbox instead of being received, so its sender was not checked.',
      details: [],
    };
  const { dmarc } = found;
  return { ...summary(found), details: detailsOf(found, dmarc.domain ?? 'the sender') };
}

function summary(found: Results): Pick<AuthenticationWords, 'verdict' | 'text'> {
  const { dmarc, arc } = found;
  const domain = dmarc.domain ?? '';
  if (domain === '')
    return {
      verdict: 'fail',
      text: 'The message names no sender or several senders, so the real sender is unclear.',
    };
  switch (dmarc.result) {
    case 'pass':
      return { verdict: 'pass', text: `Verified: the message comes from ${domain}.` };
    case 'fail':
      if (isVouched(found))
        return {
          verdict: 'none',
          text: `${arc.sealers[0] ?? 'A forwarder'} found the message genuine, then changed and forwarded it.`,
        };
      return {
        verdict: 'fail',
        text: `The message claims to come from ${domain}, but that could not be verified. It may be forged.`,
      };
    case 'temperror':
      return {
        verdict: 'none',
        text: `Could not check whether the message comes from ${domain}: DNS did not answer.`,
      };
    default:
      return {
        verdict: 'none',
        text: `${domain} does not publish how to recognize its mail, so it is unknown whether this message comes from there.`,
      };
  }
}

function detailsOf({ spf, dkim, dmarc, arc }: Results, domain: string): string[] {
  return [
    ...(spf.domain === '' ? [] : [`SPF: the sending server ${SPF[spf.result]} (${spf.domain}).`]),
    ...(dkim.length === 0 ? ['DKIM: the message is not signed.'] : []),
    ...dkim
      .slice(0, 10)
      .map(
        ({ result, domain: signer }) =>
          `DKIM: the signature of ${signer || 'an unknown domain'} ${DKIM[result]}.`,
      ),
    ...(dmarc.published === 'none'
      ? []
      : [
          `DMARC: the policy of ${domain} tells receivers to ${dmarc.published === 'reject' ? 'reject mail' : 'put mail into Junk'} that cannot be verified.`,
        ]),
    ...(arc.result === 'pass' ? [`ARC: forwarded by ${arc.sealers.join(', ')}.`] : []),
  ].map((line) => line.slice(0, 500));
}

/** Whether DMARC has proved the From address genuine. Attack: a message with a forged address of a trusted sender. */
export function isProved(found: Results | null): boolean {
  return found !== null && found.dmarc.result === 'pass';
}

/** Whether a trusted list or forwarder found the message genuine before changing the message (ARC). */
export function isVouched({ dmarc, arc, policy }: Results): boolean {
  return policy === 'none' && dmarc.published !== 'none' && arc.result === 'pass';
}
