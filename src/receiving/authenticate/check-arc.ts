/** Checks ARC: the records that forwarding servers added to the message (RFC 8617). */
import { arc } from 'mailauth/lib/arc/index.js';
import type { ARCChainEntry, DKIMVerifyResult } from 'mailauth';
import type { Authentication } from './authentication.ts';
import type { Lookup } from './bounded-lookups.ts';
import { LIMITS } from './limits.ts';

export interface ArcCheck {
  arc: Authentication['arc'];
  /** The author's domain if DMARC passed at the first sealer. Null if DMARC did not pass, or if one of the sealers is not trusted. */
  vouchedFor: string | null;
}

const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,20}$/;

/**
 * @param data the ARC chain that the DKIM check has read
 * @param trusted the domains whose seals are trusted
 */
export async function checkArc(
  data: DKIMVerifyResult['arc'],
  trusted: ReadonlySet<string>,
  resolver: Lookup,
): Promise<ArcCheck> {
  const none: ArcCheck = { arc: { result: 'none', sealers: [] }, vouchedFor: null };
  if (data === undefined) return none;
  const { chain: read, lastEntry, error } = data;
  // `arc` deletes parts of the parsed ARC-Authentication-Results, so the author's domain is read before the call.
  const chain = read || [];
  const vouchedFor = authorThatPassed(chain[0]);
  const sets = { chain, ...(lastEntry && { lastEntry }), ...(error && { error }) };
  const { status } = await arc(sets, { resolver, minBitLength: LIMITS.minKeyBits });
  const sealers = chain.map((set) => textAt(set, 'arc-seal', 'parsed', 'd', 'value'));
  if (status.result === 'none') return none;
  if (status.result !== 'pass') return { arc: { result: 'fail', sealers: [] }, vouchedFor: null };
  const result: ArcCheck['arc'] = {
    result: 'pass',
    sealers: sealers.map((name) => (NAME.test(name) ? name : '?')),
  };
  // An untrusted sealer may have forged everything below its seal.
  if (!sealers.every((sealer) => trusted.has(sealer))) return { arc: result, vouchedFor: null };
  return { arc: result, vouchedFor };
}

function authorThatPassed(first: ARCChainEntry | undefined): string | null {
  const said = ['arc-authentication-results', 'parsed', 'dmarc'] as const;
  if (textAt(first, ...said, 'value') !== 'pass') return null;
  return textAt(first, ...said, 'header', 'from') || null;
}

/** The text at a path, in lower case; empty if there is no text. A crafted field can be parsed to a value of any shape. */
function textAt(value: unknown, ...path: readonly string[]): string {
  let inner = value;
  for (const name of path) {
    inner = typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined;
  }
  return typeof inner === 'string' ? inner.trim().toLowerCase() : '';
}
