/** The value of an Authentication-Results field (RFC 8601, section 2.2). */
import type { Arrival, Authentication } from './authentication.ts';

/** Names and other values that need no quotes. Everything else is quoted. */
const PLAIN = /^[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?$/i;
const MAX_VALUE = 253;
const NOT_IN_QUOTES = /[^\x20-\x7e]|["\\]/g;

export type Results = Omit<Authentication, 'header'>;

/**
 * The value contains no line ends and can be folded after each `;`. Attack: values that the sender chose could inject results, so each
 * value is a plain name or quoted.
 * @param hostname the authserv-id
 * @param vouched the trusted sealer that overrides a DMARC failure, or null
 */
export function writeAuthenticationResults(
  hostname: string,
  { address, mailFrom }: Pick<Arrival, 'address' | 'mailFrom'>,
  { spf, dkim, dmarc, arc, iprev }: Results,
  vouched: string | null,
): string {
  const reason = vouched === null ? '' : ` reason=${quoted(`it passed when ${vouched} received it`)}`;
  const isJudged = dmarc.result === 'pass' || dmarc.result === 'fail';
  return [
    hostname,
    `spf=${spf.result}${property(mailFrom === '' ? 'smtp.helo' : 'smtp.mailfrom', spf.domain)}`,
    ...signaturesOf(dkim),
    [
      `dmarc=${dmarc.result}`,
      reason,
      isJudged ? property('policy.dmarc', dmarc.published) : '',
      property('header.from', dmarc.domain ?? ''),
    ].join(''),
    `arc=${arc.result}${arc.result === 'pass' ? ` (${arc.sealers.join(' ')})` : ''}`,
    `iprev=${iprev.result}${property('policy.iprev', address)}`,
  ].join('; ');
}

/** The value for mail that this instance sent. `auth` means that the sender was authenticated with an API key (RFC 8601, section 2.7.4). */
export function writeOwnResults(
  hostname: string,
  { spf, dkim, dmarc }: Pick<Results, 'spf' | 'dkim' | 'dmarc'>,
): string {
  return [
    hostname,
    `auth=pass${property('smtp.mailfrom', spf.domain)}`,
    ...signaturesOf(dkim),
    `dmarc=${dmarc.result}${property('header.from', dmarc.domain ?? '')}`,
  ].join('; ');
}

function signaturesOf(dkim: Results['dkim']): string[] {
  if (dkim.length === 0) return ['dkim=none'];
  return dkim.map(({ result, domain, selector, algorithm }) =>
    [
      `dkim=${result}`,
      property('header.d', domain),
      property('header.s', selector),
      property('header.a', algorithm),
    ].join(''),
  );
}

function property(name: string, value: string): string {
  return value === '' ? '' : ` ${name}=${PLAIN.test(value) ? value : quoted(value)}`;
}

function quoted(text: string): string {
  return `"${text.slice(0, MAX_VALUE).replaceAll(NOT_IN_QUOTES, '?')}"`;
}
