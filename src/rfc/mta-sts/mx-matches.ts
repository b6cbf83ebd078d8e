import type { StsPolicy } from './parse-policy.ts';

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
