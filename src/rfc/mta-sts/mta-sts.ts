/** MTA Strict Transport Security (RFC 8461): the DNS record, the policy, and the hosts that the policy allows. */
import { parseDomain } from '../address/domain.ts';
import { trimBlanks } from '../trim-blanks.ts';

/** The beginning of an MTA-STS record. Other TXT records are skipped (RFC 8461, section 3.1). */
const BEGINS = /^v=STSv1[ \t]*;/;
const ID_FIELD = /^id=([A-Za-z0-9]{1,32})$/;
const EXTENSION_FIELD = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}=[\x21-\x3a\x3c\x3e-\x7e]+$/;
/** The maximum length of a record, far more than a DNS response over UDP contains. */
const MAX_RECORD = 4_096;

/**
 * Reads the policy id from the TXT records of `_mta-sts.<domain>`. The id changes with every new policy (RFC 8461, section 3.1).
 * Returns null if there is no valid record, or more than one record.
 * @param txtRecords the records, each with its strings joined
 */
export function parseStsRecord(txtRecords: readonly string[]): { id: string } | null {
  const [record, ...others] = txtRecords.filter((text) => BEGINS.test(text));
  if (record === undefined || others.length > 0 || record.length > MAX_RECORD) return null;
  const parts = record.split(';').slice(1);
  // Blanks around a semicolon are ignored. The semicolon after the last field is optional.
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

/** A policy that a domain publishes (RFC 8461, section 3.2). */
export interface StsPolicy {
  mode: (typeof MODES)[number];
  /** Hosts, or `*.` and a domain, in lower case. Empty only in mode `none`. */
  mx: readonly string[];
  /** The number of seconds for which a fetched policy is valid. */
  maxAgeSeconds: number;
}

/** The maximum length of a policy in characters, from RFC 8461, section 3.3. */
const MAX_LENGTH = 64 * 1024;
const MAX_MX = 100;
/** The maximum of `max_age`, about a year. Longer times are reduced to the maximum (RFC 8461, section 3.2). */
const MAX_AGE_SECONDS = 31_557_600;

/**
 * Parses a policy file. Lines may end with a bare LF. Unknown fields, and lines that are not fields, are skipped. Of several fields with
 * the same name, other than `mx`, the first is used. A value that violates the grammar makes the whole file invalid.
 * @param text the content of the file, at most 64 KiB
 * @returns null if the file is invalid
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

/** Normalizes the pattern of an `mx` field, a domain with an optional `*.` before it. */
function parseMxPattern(text: string): string | null {
  const wildcard = text.startsWith('*.') ? '*.' : '';
  const domain = parseDomain(text.slice(wildcard.length));
  return typeof domain === 'string' ? wildcard + domain : null;
}

/**
 * Whether a policy lists a host. A wildcard matches exactly the first label (RFC 8461, section 4.1; RFC 6125, section 6.4.3).
 * In mode `none`, the policy need not list any host.
 * @param host in A-labels, in any case, without a trailing dot
 */
export function mxMatches(policy: Pick<StsPolicy, 'mx'>, host: string): boolean {
  const name = host.toLowerCase();
  // A host name with `*` would match a wildcard pattern literally.
  if (name.includes('*')) return false;
  const firstDot = name.indexOf('.');
  return policy.mx.includes(name) || (firstDot > 0 && policy.mx.includes(`*${name.slice(firstDot)}`));
}
