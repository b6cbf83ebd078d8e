/** Authentication-Results that say they are ours: only this server writes such a field (RFC 8601, section 5). */
import { headerEnd } from './fields.ts';
import { LIMITS } from './limits.ts';

/** A field with its folded lines. The name may have space behind it, which some readers take. */
const FIELD = /^authentication-results[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)(?:\r?\n|$)/gim;

/**
 * The message without fields that claim the authserv-id, and nothing else of it changed: the same buffer where there are none.
 * Fields of others stay. In time proportional to the header.
 */
export function withoutForgedResults(raw: Buffer, hostname: string): Buffer {
  const header = raw.toString('latin1', 0, Math.min(headerEnd(raw), LIMITS.headerOctets));
  const kept: Buffer[] = [];
  let from = 0;
  for (const found of header.matchAll(FIELD)) {
    if (authservId(found[1] as string) !== hostname.toLowerCase()) continue;
    kept.push(raw.subarray(from, found.index));
    from = found.index + found[0].length;
  }
  return from === 0 ? raw : Buffer.concat([...kept, raw.subarray(from)]);
}

/** In lower case, without a dot at its end. Comments and space may stand in front of it, and it may be quoted. */
function authservId(value: string): string {
  let at = 0;
  for (;;) {
    while (at < value.length && /\s/.test(value[at] as string)) at++;
    if (value[at] !== '(') break;
    at = commentEnd(value, at);
  }
  const rest = value.slice(at, at + 300);
  const quoted = /^"((?:[^"\\]|\\.)*)"/s.exec(rest)?.[1]?.replace(/\\(.)/gs, '$1');
  const id = quoted ?? /^[^\s;(]*/.exec(rest)?.[0] ?? '';
  return id.replace(/\.$/, '').toLowerCase();
}

/** Comments nest (RFC 5322, section 3.2.2). */
function commentEnd(value: string, start: number): number {
  let depth = 0;
  for (let at = start; at < value.length; at++) {
    if (value[at] === '\\') at++;
    else if (value[at] === '(') depth++;
    else if (value[at] === ')' && --depth === 0) return at + 1;
  }
  return value.length;
}
