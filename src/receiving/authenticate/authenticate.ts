/**
 * Checks whether a message is genuine: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and ARC (RFC 8617), with mailauth. Runs
 * in a thread (`src/receiving/examine`), because a check takes a millisecond of processor time, and longer for a hostile message.
 */
import type { DKIMResult, DKIMVerifyResult } from 'mailauth';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { reverseLabels } from '../../net/dns-name.ts';
import type {
  Arrival,
  Authentication,
  DkimCheck,
  DkimResult,
  SpfResult,
  DmarcPolicy,
  DmarcResult,
} from './authentication.ts';
import { writeAuthenticationResults } from './authentication-results.ts';
import { type Lookup, LookupBudget } from './bounded-lookups.ts';
import type { CachedDns } from './cached-dns.ts';
import { checkArc } from './check-arc.ts';
import { LIMITS } from './limits.ts';
import { showMessage } from './shown-message.ts';
import { DEFAULT_SEALERS } from './trusted-sealers.ts';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import ipaddr from 'ipaddr.js';

/** The number of reverse DNS names checked for an address (RFC 7208, section 4.6.4 has the same limit). */
const MAX_NAMES = 10;

interface Passed {
  headerFrom: string[];
  fromFields: number;
  spfDomains: string[];
  dkimDomains: string[];
}

const POLICIES: ReadonlySet<string> = new Set<DmarcPolicy>(['none', 'quarantine', 'reject']);

const RESULTS: ReadonlySet<string> = new Set<DmarcResult>(['pass', 'fail', 'none', 'temperror', 'permerror']);

export interface Authenticator {
  dns: CachedDns;
  /** The authserv-id: POSTHORN_HOSTNAME. */
  hostname: string;
  /** The domains whose ARC seals are trusted. Default: `DEFAULT_SEALERS`. */
  sealers?: ReadonlySet<string>;
}

/**
 * Never rejects: a check that cannot be completed is a `temperror`. DNS look-ups take at most `TIMINGS.lookupsMs`, and `LIMITS` bounds
 * the processor time.
 */
export async function authenticate(
  arrival: Arrival,
  { dns, hostname, sealers = DEFAULT_SEALERS }: Authenticator,
): Promise<Authentication> {
  const budget = new LookupBudget(dns);
  const shown = showMessage(arrival.raw);
  prefetchDmarc(shown.octets, budget);
  // All checks share one time limit, but each check has its own number of look-ups, so that many signatures cannot use up those of DMARC.
  const [sender, iprev, verified] = await Promise.all([
    checkSpf(arrival, hostname, budget),
    checkReverse(arrival.address, budget),
    verify(shown.octets, budget.lookups(LIMITS.lookups)),
  ]);
  const signatures = verified.results
    .filter(({ signingDomain }) => signingDomain !== undefined)
    .map(dkimCheck);
  // mailauth omits signatures that it could not process at all.
  const unread = Array.from({ length: shown.signatures - signatures.length }, () => UNREADABLE);
  const dkim = [...signatures, ...unread];
  const [{ arc, vouchedFor }, dmarc] = await Promise.all([
    shown.arc === 'too much'
      ? FAILED_ARC
      : guarded(checkArc(verified.arc, sealers, budget.lookups(LIMITS.lookups)), FAILED_ARC),
    guarded(
      checkDmarc(
        {
          headerFrom: verified.headerFrom,
          fromFields: verified.fromFields,
          spfDomains: sender.result === 'pass' ? [sender.domain] : [],
          dkimDomains: dkim.filter(({ result }) => result === 'pass').map(({ domain }) => domain),
        },
        budget.lookups(LIMITS.lookups),
      ),
      { result: 'temperror', domain: null, published: 'none' },
    ),
  ]);
  const isVouched = dmarc.result === 'fail' && vouchedFor !== null && vouchedFor === dmarc.domain;
  const requested = dmarc.result === 'fail' && !isVouched ? dmarc.published : 'none';
  const policy = requested === 'reject' && arrival.isRelayed === true ? 'quarantine' : requested;
  const results = { spf: sender, dkim, dmarc, arc, iprev, policy };
  const voucher = isVouched ? (arc.sealers[0] ?? null) : null;
  return { ...results, header: writeAuthenticationResults(hostname, arrival, results, voucher) };
}

/** Starts the look-ups for DMARC early, in parallel with the other checks, so that slow DNS delays the message only once. */
function prefetchDmarc(message: Buffer, budget: LookupBudget): void {
  const from = /^from[ \t]*:[^\r\n]*@([a-z0-9.-]{1,253})/im.exec(message.toString('latin1', 0, 16_384))?.[1];
  const labels = (from ?? '').toLowerCase().split('.');
  for (let at = Math.max(0, labels.length - 4); at < labels.length - 1; at++) {
    void budget.ask(`_dmarc.${labels.slice(at).join('.')}`, 'TXT');
  }
}

const FAILED_ARC: Awaited<ReturnType<typeof checkArc>> = {
  arc: { result: 'fail', sealers: [] },
  vouchedFor: null,
};
const UNREADABLE: DkimCheck = { result: 'neutral', domain: '', selector: '', algorithm: '' };

async function checkSpf(
  { address, helo, mailFrom }: Arrival,
  hostname: string,
  budget: LookupBudget,
): Promise<Authentication['spf']> {
  const domain = domainOf(mailFrom === '' ? `@${helo}` : mailFrom);
  // The relay did not name its client, so SPF cannot be checked.
  if (address === '') return { result: 'none', domain };
  const checked = await guarded(
    spf({
      sender: mailFrom,
      ip: address,
      helo: helo === '' ? `[${address}]` : helo,
      mta: hostname,
      resolver: budget.lookups(LIMITS.spfLookups),
      maxElapsedTime: Math.max(1, budget.leftMs()),
    }),
    null,
  );
  return { result: (checked?.status.result ?? 'temperror') as SpfResult, domain };
}

interface Verified {
  results: readonly DKIMResult[];
  headerFrom: string[];
  fromFields: number;
  arc?: DKIMVerifyResult['arc'];
}

function verify(octets: Buffer, resolver: Lookup): Promise<Verified> {
  const verified = dkimVerify(octets, {
    resolver,
    minBitLength: LIMITS.minKeyBits,
    rejectRsaSha1: true,
    // Without a sender mailauth would read Return-Path, which anyone can forge.
    sender: 'nobody@invalid.invalid',
  });
  return guarded<Verified>(verified, { results: [], headerFrom: [], fromFields: 0 });
}

function dkimCheck({ status, signingDomain, selector, algo }: DKIMResult): DkimCheck {
  // Anyone can add text below the signed part of a body (l=). RFC 6376, section 8.2 leaves the decision to the verifier.
  const isPartial = (status.underSized ?? 0) > 0 && status.result === 'pass';
  return {
    result: isPartial ? 'policy' : (status.result as DkimResult),
    domain: (signingDomain ?? '').toLowerCase(),
    selector: selector ?? '',
    algorithm: (algo ?? '').toLowerCase(),
  };
}

/** mailauth parses untrusted input: an unexpected error must not lose a message. */
async function guarded<T>(promise: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await promise;
  } catch {
    return otherwise;
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/**
 * DMARC (RFC 7489, RFC 9989). Without an author, or with authors in several domains, the result is `permerror`, because no single domain
 * is responsible.
 */
async function checkDmarc(passed: Passed, resolver: Lookup): Promise<Authentication['dmarc']> {
  const { response } = await evaluateDmarc({
    ...passed,
    dkimDomains: passed.dkimDomains.map((domain) => ({ domain })),
    resolver,
  });
  if (response === false) return { result: 'permerror', domain: null, published: 'none' };
  const { status, policy } = response;
  return {
    result: RESULTS.has(status.result) ? (status.result as DmarcResult) : 'temperror',
    domain: status.header?.from?.toLowerCase() ?? null,
    published: POLICIES.has(policy) ? (policy as DmarcPolicy) : 'none',
  };
}

/** The reverse DNS name of the client's address, and whether that name resolves to the address (RFC 8601, section 2.7.3). */
async function checkReverse(address: string, budget: LookupBudget): Promise<Authentication['iprev']> {
  if (address === '') return { result: 'temperror', name: null };
  if (!ipaddr.isValid(address)) return { result: 'fail', name: null };
  const client = ipaddr.process(address);
  const found = await budget.ask(
    `${reverseLabels(client)}.${client.kind() === 'ipv4' ? 'in-addr' : 'ip6'}.arpa`,
    'PTR',
  );
  if (found.outcome === 'failed') return { result: 'temperror', name: null };
  if (found.outcome === 'none') return { result: 'fail', name: null };
  const names = (found.records as readonly string[]).slice(0, MAX_NAMES);
  const type = client.kind() === 'ipv4' ? 'A' : 'AAAA';
  const answers = await Promise.all(names.map((name) => budget.ask(name, type)));
  const back = answers.findIndex(
    (answer) => answer.outcome === 'found' && (answer.records as readonly string[]).some(isClient),
  );
  if (back !== -1) return { result: 'pass', name: names[back] ?? null };
  const isFailure = answers.some(({ outcome }) => outcome === 'failed');
  return { result: isFailure ? 'temperror' : 'fail', name: names[0] ?? null };

  function isClient(record: string): boolean {
    return ipaddr.isValid(record) && ipaddr.process(record).toString() === client.toString();
  }
}
