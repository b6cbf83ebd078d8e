/** Explains the effect of a domain's DMARC policy and the next step in plain words (RFC 7489, RFC 9989). Pure. */
import type { DmarcAdvice } from '../contract/dashboard/domains.ts';
import { MAIL_FROM_LABEL } from './expected-records.ts';
import { dmarcRecords } from './judge-dmarc.ts';
import type { RecordCheck } from './judge-record.ts';
import { parseTags } from './tag-list.ts';

type Policy = NonNullable<DmarcAdvice['policy']>;

const MAX_REPORT_ADDRESSES = 10;

/**
 * @param check the last check of the DMARC record
 * @returns null if the state of the record is not known yet
 */
export function dmarcAdvice(domain: string, check: RecordCheck | undefined): DmarcAdvice | null {
  if (check === undefined || check.status === 'temporary_failure') return null;
  const published = dmarcRecords(check.found)[0] ?? null;
  const inheritedFrom = check.inheritedFrom ?? null;
  const { tags } = parseTags(published ?? '');
  // Receivers ignore a record that is only tolerated.
  const isTolerated = check.fixBy !== undefined;
  const policy = check.status === 'verified' && !isTolerated ? policyOf(tags, inheritedFrom !== null) : null;
  const reportsTo = reportAddresses(tags.get('rua') ?? '');
  const isStrict = (tag: string) => tags.get(tag)?.toLowerCase() === 's';
  const facts = {
    published,
    inherited_from: inheritedFrom,
    policy,
    reports_to: reportsTo,
    dkim_alignment: isStrict('adkim') ? 'strict' : 'relaxed',
    spf_alignment: isStrict('aspf') ? 'strict' : 'relaxed',
  } as const;
  return {
    ...facts,
    summary:
      policy === null ? ((isTolerated ? check.advice?.[0] : check.error) ?? NO_POLICY) : SUMMARIES[policy],
    alignment: alignmentOf(domain, facts.spf_alignment),
    advice: adviceOf(facts, tags, domain),
    next: nextOf(domain, tags, facts),
  };
}

const NO_POLICY = 'No policy is published.';
const SUMMARIES: Readonly<Record<Policy, string>> = {
  none: 'Monitoring: forged mail from the domain is delivered like other mail, and counted in reports.',
  quarantine: 'Partly protected: forged mail from the domain goes to spam.',
  reject: 'Protected: forged mail from the domain is rejected. There is no stricter policy.',
};

function policyOf(tags: ReadonlyMap<string, string>, isInherited: boolean): Policy | null {
  const text = (isInherited ? tags.get('sp') : undefined) ?? tags.get('p') ?? '';
  const policy = text.toLowerCase();
  return policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null;
}

function reportAddresses(rua: string): string[] {
  return rua
    .split(',')
    .map((uri) => /^\s*mailto:([^!\s]+)/i.exec(uri)?.[1])
    .filter((address) => address !== undefined)
    .slice(0, MAX_REPORT_ADDRESSES);
}

function alignmentOf(domain: string, spf: DmarcAdvice['spf_alignment']): string {
  const dkim = `DKIM: signed by ${domain}, aligned in strict and relaxed mode.`;
  return spf === 'relaxed'
    ? `${dkim} SPF: return path ${MAIL_FROM_LABEL}.${domain}, aligned in relaxed mode.`
    : `${dkim} SPF: return path ${MAIL_FROM_LABEL}.${domain}, not aligned because of aspf=s, so DMARC passes only with DKIM. Remove aspf=s.`;
}

type Facts = Pick<DmarcAdvice, 'policy' | 'reports_to' | 'inherited_from'>;

function adviceOf(facts: Facts, tags: ReadonlyMap<string, string>, domain: string): string[] {
  const { policy, reports_to: reportsTo, inherited_from: inheritedFrom } = facts;
  const owner = inheritedFrom ?? domain;
  return [
    ...(policy === null
      ? [
          'Publish the record shown. Gmail, Yahoo and Outlook require a policy from bulk senders.',
          'Start with p=none: it does not affect your mail.',
        ]
      : []),
    ...(inheritedFrom === null
      ? []
      : [
          `The domain inherits the policy of ${inheritedFrom}. Change it there, or publish one at _dmarc.${domain}.`,
        ]),
    ...(policy !== null && reportsTo.length === 0
      ? ['No reports are sent. Add rua=mailto: with an address that you or a DMARC report service reads.']
      : []),
    ...reportsTo
      .map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase())
      .filter((at, index, all) => !isBelow(at, owner) && !isBelow(owner, at) && all.indexOf(at) === index)
      .map(
        (at) =>
          `Reports are sent to ${at} only if it accepts them with a TXT record v=DMARC1 at ${owner}._report._dmarc.${at}.`,
      ),
    ...(policy === 'none'
      ? [
          'When two weeks of reports show that all your mail passes, including mail that other services send for you, change the policy to quarantine.',
        ]
      : []),
    ...(policy === 'quarantine'
      ? [
          'When none of your mail went to spam for two weeks, change the policy to reject. Mail to mailing lists can then fail, so use another domain for people.',
        ]
      : []),
    ...(tags.has('pct') && tags.get('pct') !== '100'
      ? [
          `pct=${tags.get('pct')?.slice(0, 10) ?? ''} is no longer part of DMARC (RFC 9989): some receivers apply the policy to all mail. Remove it.`,
        ]
      : []),
  ];
}

function isBelow(name: string, above: string): boolean {
  return name === above || name.endsWith(`.${above}`);
}

const STRICTER: Readonly<Record<Policy, Policy | null>> = {
  none: 'quarantine',
  quarantine: 'reject',
  reject: null,
};

/** The record of the next step. Other published tags remain. */
function nextOf(
  domain: string,
  tags: ReadonlyMap<string, string>,
  { policy, inherited_from: inheritedFrom }: Facts,
): DmarcAdvice['next'] {
  if (policy === null || inheritedFrom !== null) return null;
  const stricter = STRICTER[policy];
  if (stricter === null) return null;
  const others = [...tags].filter(([name]) => !['v', 'p', 'pct'].includes(name));
  const value = [['v', 'DMARC1'], ['p', stricter], ...others].map(([name, text]) => `${name}=${text}`);
  return { policy: stricter, name: `_dmarc.${domain}`, value: value.join('; ') };
}
