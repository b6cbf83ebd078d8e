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
  pass: 'may send for it',
  fail: 'may not send for it',
  softfail: 'probably may not send for it',
  neutral: 'is neither allowed nor forbidden to',
  none: 'is not known: the domain does not say who may send for it',
  temperror: 'could not be checked: DNS did not answer',
  permerror: 'could not be checked: the record of the domain has an error',
};
const DKIM: Readonly<Record<Results['dkim'][number]['result'], string>> = {
  pass: 'is right',
  fail: 'is wrong: the message was changed, or somebody else signed it',
  neutral: 'could not be read',
  policy: 'covers only a part of the message, so it does not count',
  temperror: 'could not be checked: DNS did not answer',
  permerror: 'could not be checked: its key is not there',
};

export function authenticationWords(found: Results | null): AuthenticationWords {
  if (found === null)
    return {
      verdict: 'unknown',
      text: 'This message was put here and did not come in by mail, so nobody checked who sent it.',
      details: [],
    };
  const { dmarc } = found;
  return { ...summary(found), details: detailsOf(found, dmarc.domain ?? 'the sender') };
}

function summary(found: Results): Pick<AuthenticationWords, 'verdict' | 'text'> {
  const { dmarc, arc } = found;
  const domain = dmarc.domain ?? '';
  if (domain === '')
    return { verdict: 'fail', text: 'It names no sender, or several. Nobody can say who sent it.' };
  switch (dmarc.result) {
    case 'pass':
      return { verdict: 'pass', text: `It comes from ${domain}: checked.` };
    case 'fail':
      if (isVouched(found))
        return {
          verdict: 'none',
          text: `It was genuine when ${arc.sealers[0] ?? 'a forwarder'} took it in, which changed it on its way.`,
        };
      return {
        verdict: 'fail',
        text: `It says that it comes from ${domain}, and that could not be proved. It may be forged.`,
      };
    case 'temperror':
      return {
        verdict: 'none',
        text: `Whether it comes from ${domain} could not be checked: DNS did not answer.`,
      };
    default:
      return {
        verdict: 'none',
        text: `${domain} does not say how its mail is recognised, so nobody knows whether it comes from there.`,
      };
  }
}

function detailsOf({ spf, dkim, dmarc, arc }: Results, domain: string): string[] {
  return [
    ...(spf.domain === '' ? [] : [`SPF: the server that sent it ${SPF[spf.result]} (${spf.domain}).`]),
    ...(dkim.length === 0 ? ['DKIM: it is not signed.'] : []),
    ...dkim
      .slice(0, 10)
      .map(({ result, domain: signer }) => `DKIM: the signature of ${signer || 'nobody'} ${DKIM[result]}.`),
    ...(dmarc.published === 'none'
      ? []
      : [
          `DMARC: ${domain} asks for mail that is not proved to be ${dmarc.published === 'reject' ? 'refused' : 'put into Junk'}.`,
        ]),
    ...(arc.result === 'pass' ? [`ARC: handed on by ${arc.sealers.join(', ')}.`] : []),
  ].map((line) => line.slice(0, 500));
}

/** Whether the From address is proved genuine, so that no one can pose as a trusted sender. */
export function isProved(found: Results | null): boolean {
  return found !== null && found.dmarc.result === 'pass';
}

/** Whether a trusted list or forwarder found the message genuine before changing it. */
export function isVouched({ dmarc, arc, policy }: Results): boolean {
  return policy === 'none' && dmarc.published !== 'none' && arc.result === 'pass';
}
