/** DMARC: whether a domain that passed is that of the author, and what the author asks for (RFC 7489, RFC 9989). */
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import type { Authentication, DmarcPolicy, DmarcResult } from './authentication.ts';
import type { Lookup } from './bounded-lookups.ts';

interface Passed {
  headerFrom: string[];
  fromFields: number;
  /** The domains that SPF and DKIM found to be true. */
  spfDomains: string[];
  dkimDomains: string[];
}

const POLICIES: ReadonlySet<string> = new Set<DmarcPolicy>(['none', 'quarantine', 'reject']);
const RESULTS: ReadonlySet<string> = new Set<DmarcResult>(['pass', 'fail', 'none', 'temperror', 'permerror']);

/** No author, or several domains of authors, is a `permerror`: nobody can say whose mail it is. */
export async function checkDmarc(passed: Passed, resolver: Lookup): Promise<Authentication['dmarc']> {
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
