/** Checks the SPF record of a return path (RFC 7208). */
import { readDnsName } from '../net/dns-name.ts';
import type { RecordResolver } from '../net/zone-dns.ts';

/** The limit on look-ups in RFC 7208, section 4.6.4. */
const MAX_LOOK_UPS = 10;
/** How many terms of a policy are read. Real policies have fewer. */
const MAX_TERMS = 200;

/**
 * Checks the SPF record (sections 4.5 and 4.6).
 * @param mechanism the mechanism that must be in the record, before `all`
 * @returns an error message, or null
 */
export function spfError(records: readonly string[], name: string, mechanism: string): string | null {
  const policies = records.filter(isPolicy);
  const [policy] = policies;
  if (policy === undefined) return `No TXT record at ${name} begins with v=spf1; add the one shown.`;
  if (policies.length > 1) return `There are ${policies.length} SPF records at ${name}; merge them into one.`;
  if (termsBefore(policy, mechanism) === null) {
    return `The SPF record at ${name} does not have ${mechanism}; add it in front of "all".`;
  }
  if (termsOf(policy).some((term) => term === 'all' || term === '+all')) {
    return `The SPF record at ${name} ends with +all, which lets anyone send in your name; use ~all.`;
  }
  return null;
}

/**
 * Whether the terms before the mechanism need so many look-ups that receivers stop before they reach the mechanism. False if DNS does not
 * answer.
 * @param records must contain exactly one policy, with the mechanism
 */
export async function exceedsLookupLimit(
  records: readonly string[],
  mechanism: string,
  resolver: RecordResolver,
): Promise<boolean> {
  const before = termsBefore(records.find(isPolicy) ?? '', mechanism) ?? [];
  // The mechanism itself needs one look-up.
  const count = await countLookUps(before, 1, resolver);
  return count !== null && count > MAX_LOOK_UPS;
}

/**
 * Counts look-ups. A cycle of includes ends at the limit, because every included policy counts as one look-up. @returns null if DNS does
 * not answer
 */
async function countLookUps(
  terms: readonly string[],
  counted: number,
  resolver: RecordResolver,
): Promise<number | null> {
  let count = counted;
  for (const term of terms) {
    const [, kind = '', target = ''] =
      /^[-+~?]?(include|redirect|a|mx|ptr|exists)(?:[:=/]|$)(.*)$/.exec(term) ?? [];
    if (kind === '') continue;
    count++;
    if (count > MAX_LOOK_UPS) return count;
    if (kind !== 'include' && kind !== 'redirect') continue;
    // A target with macros depends on the message and cannot be looked up.
    const name = readDnsName(target);
    if (name === null) continue;
    const answer = await resolver.txt(name);
    if (answer.outcome === 'failed') return null;
    if (answer.outcome === 'none') continue;
    const nested = await countLookUps(termsOf(answer.records.find(isPolicy) ?? ''), count, resolver);
    if (nested === null || nested > MAX_LOOK_UPS) return nested;
    count = nested;
  }
  return count;
}

/** The terms before the mechanism; null if the mechanism is missing or comes after `all`. */
function termsBefore(policy: string, mechanism: string): string[] | null {
  const terms = termsOf(policy);
  const at = terms.findIndex((term) => term.replace(/^\+/, '') === mechanism);
  const all = terms.findIndex((term) => /^[-+~?]?all$/.test(term));
  return at === -1 || (all !== -1 && all < at) ? null : terms.slice(0, at);
}

function termsOf(policy: string): string[] {
  return policy.toLowerCase().split(/ +/, MAX_TERMS).slice(1);
}

function isPolicy(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text);
}
