/** MTA Strict Transport Security (RFC 8461): the record, the policy, and which hosts it allows. */
import { parseDomain } from '../address/domain.ts';
import { trimBlanks } from '../trim-blanks.ts';

/** Records of other kinds are skipped (RFC 8461, section 3.1). */
const BEGINS = /^v=STSv1[ \t]*;/;
const ID_FIELD = /^id=([A-Za-z0-9]{1,32})$/;
const EXTENSION_FIELD = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}=[\x21-\x3a\x3c\x3e-\x7e]+$/;
/** Far more than a resolver gives in one answer over UDP. */
const MAX_RECORD = 4_096;

/**
 * What the TXT records of `_mta-sts.<domain>` say: the id of the policy, which is another one for every policy (RFC 8461,
 * section 3.1). Null: the domain has no policy, or its records cannot be read, which counts as none.
 * @param txtRecords the strings of each record joined
 */
export function parseStsRecord(txtRecords: readonly string[]): { id: string } | null {
  const [record, ...others] = txtRecords.filter((text) => BEGINS.test(text));
  if (record === undefined || others.length > 0 || record.length > MAX_RECORD) return null;
  const parts = record.split(';').slice(1);
  // Blanks belong to the semicolon beside them, and the last field needs no semicolon.
  const last = parts.pop()?.replace(/^[ \t]+/, '') ?? '';
  const fields = [...parts.map(trimBlanks), ...(last === '' ? [] : [last])];
  let id: string | null = null;
  for (const field of fields) {
    if (field.startsWith('id=') && id === null) {
      id = ID_FIELD.exec(field)?.[1] ?? null;
      if (id === null) return null;
    } else if (!EXTENSION_FIELD.test(field)) return null;
  }
  return id === null ? null : { id };
}

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

/**
 * Whether a policy names a host. A wildcard stands for exactly one label, the first (RFC 8461, section 4.1; RFC 6125,
 * section 6.4.3). In mode `none` no host has to be named.
 * @param host A-labels in any case, without a trailing dot
 */
export function mxMatches(policy: Pick<StsPolicy, 'mx'>, host: string): boolean {
  const name = host.toLowerCase();
  // A star belongs to patterns: a host whose name has one would match the pattern letter by letter.
  if (name.includes('*')) return false;
  const firstDot = name.indexOf('.');
  return policy.mx.includes(name) || (firstDot > 0 && policy.mx.includes(`*${name.slice(firstDot)}`));
}
