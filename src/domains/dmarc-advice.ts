/** Explains the effect of a domain's DMARC policy and the next step in plain words (RFC 7489, RFC 9989). Pure. */
import type { DmarcAdvice } from '../contract/dashboard/domains.ts';
import { MAIL_FROM_LABEL } from './expected-records.ts';
import type { RecordCheck } from './judge-record.ts';
import { tagsOf } from './tag-list.ts';

type Policy = NonNullable<DmarcAdvice['policy']>;

const MAX_REPORT_ADDRESSES = 10;

/**
 * @param check the last check of the DMARC record
 * @returns null if nothing can be said yet
 */
export function dmarcAdvice(domain: string, check: RecordCheck | undefined): DmarcAdvice | null {
  if (check === undefined || check.status === 'temporary_failure') return null;
  const published = check.found.find((text) => /^v *= *DMARC1 *(?:;|$)/.test(text)) ?? null;
  const inheritedFrom = check.inheritedFrom ?? null;
  const tags = tagsOf(published ?? '');
  const policy = check.status === 'verified' ? policyOf(tags, inheritedFrom !== null) : null;
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
    summary: policy === null ? (check.error ?? '') || NO_POLICY : SUMMARIES[policy],
    alignment: alignmentOf(domain, facts.spf_alignment),
    advice: adviceOf(facts, tags, domain),
    next: nextOf(domain, tags, facts),
  };
}

const NO_POLICY = 'No policy is published.';
const SUMMARIES: Readonly<Record<Policy, string>> = {
  none: 'Watching: mail that only claims to come from the domain is delivered as any other, and counted in reports.',
  quarantine: 'Guarded: mail that only claims to come from the domain goes to spam.',
  reject:
    'Closed: mail that only claims to come from the domain is refused. There is nothing stricter to publish.',
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
  const dkim = `Mail is signed as ${domain}, which is aligned, strict or relaxed.`;
  return spf === 'relaxed'
    ? `${dkim} Its return path is at ${MAIL_FROM_LABEL}.${domain}, which is aligned too.`
    : `${dkim} Its return path is at ${MAIL_FROM_LABEL}.${domain}: with aspf=s that is not aligned, so DMARC passes by DKIM alone. Leave aspf=s out.`;
}

type Facts = Pick<DmarcAdvice, 'policy' | 'reports_to' | 'inherited_from'>;

function adviceOf(facts: Facts, tags: ReadonlyMap<string, string>, domain: string): string[] {
  const { policy, reports_to: reportsTo, inherited_from: inheritedFrom } = facts;
  const owner = inheritedFrom ?? domain;
  return [
    ...(policy === null
      ? [
          'Publish the record shown. Gmail, Yahoo and Outlook want a policy from everyone who sends in bulk.',
          'p=none changes nothing for your mail: it is where to begin.',
        ]
      : []),
    ...(inheritedFrom === null
      ? []
      : [
          `The policy is that of ${inheritedFrom}, which holds for what is below it. Change it there, or publish one at _dmarc.${domain}.`,
        ]),
    ...(policy !== null && reportsTo.length === 0
      ? [
          'Nobody gets the reports. Add rua=mailto: with an address that somebody, or a service for such reports, reads.',
        ]
      : []),
    ...reportsTo
      .map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase())
      .filter((at, index, all) => !isBelow(at, owner) && !isBelow(owner, at) && all.indexOf(at) === index)
      .map(
        (at) =>
          `Reports go to ${at} only if that says it takes them, with a TXT record v=DMARC1 at ${owner}._report._dmarc.${at}.`,
      ),
    ...(policy === 'none'
      ? [
          'When reports of two weeks show that all your mail passes, also that of others who send for you, ask for quarantine.',
        ]
      : []),
    ...(policy === 'quarantine'
      ? [
          'When nothing of yours lands in spam for two weeks, ask for reject. Mail to mailing lists can fail then: people are better off at another domain.',
        ]
      : []),
    ...(tags.has('pct') && tags.get('pct') !== '100'
      ? [
          `pct=${tags.get('pct')?.slice(0, 10) ?? ''} is no part of DMARC any more (RFC 9989): some receivers apply the policy to all mail. Leave it out.`,
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

/** The record of the next step. Other published tags are kept. */
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
