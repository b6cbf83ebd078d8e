import { parseDomain } from '../address/domain.ts';
import { trimBlanks } from './parse-sts-record.ts';

const MODES = ['enforce', 'testing', 'none'] as const;

/** A policy, as its domain publishes it (RFC 8461, section 3.2). */
export interface StsPolicy {
  mode: (typeof MODES)[number];
  /** Hosts, and `*.` with a domain, in lower case; empty only in mode `none`. */
  mx: readonly string[];
  /** How long the policy is in force after it was fetched. */
  maxAgeSeconds: number;
}

/** RFC 8461, section 3.3, suggests this limit. */
const MAX_LENGTH = 64 * 1024;
const MAX_MX = 100;
/** About a year: a longer age counts as a year (RFC 8461, section 3.2). */
const MAX_AGE_SECONDS = 31_557_600;

/**
 * Reads a policy file. Lines may end with LF alone, and unknown fields and other lines are skipped. When a field that may
 * stand once is there twice, the first counts. A value that the grammar does not allow makes the whole file no policy.
 * @param text a text of more than 64 KB is no policy
 */
export function parsePolicy(text: string): StsPolicy | null {
  if (text.length > MAX_LENGTH) return null;
  const single = new Map<string, string>();
  const mx = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon);
    const value = trimBlanks(line.slice(colon + 1));
    if (name === 'mx') {
      const pattern = parseMxPattern(value);
      if (pattern === null) return null;
      mx.add(pattern);
      if (mx.size > MAX_MX) return null;
    } else if (!single.has(name)) single.set(name, value);
  }
  const mode = MODES.find((known) => known === single.get('mode'));
  const maxAge = single.get('max_age') ?? '';
  if (single.get('version') !== 'STSv1' || mode === undefined || !/^[0-9]{1,10}$/.test(maxAge)) return null;
  if (mx.size === 0 && mode !== 'none') return null;
  return { mode, mx: [...mx], maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS) };
}

/** `["*."] Domain`, in normal form. */
function parseMxPattern(text: string): string | null {
  const wildcard = text.startsWith('*.') ? '*.' : '';
  const domain = parseDomain(text.slice(wildcard.length));
  return typeof domain === 'string' ? wildcard + domain : null;
}
