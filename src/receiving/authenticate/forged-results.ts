/**
 * Removes Authentication-Results fields that claim to be from this server. Every such field in received mail is forged, because only this
 * server may write it (RFC 8601, section 5).
 */
import { headerEnd } from './fields.ts';
import { LIMITS } from './limits.ts';

/** A field with its folded lines. Some parsers accept blanks between the name and the colon. */
const FIELD = /^authentication-results[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)(?:\r?\n|$)/gim;

/**
 * Removes the fields that claim our authserv-id and changes nothing else, so results of other servers stay. Returns the same buffer
 * if the message has no such field. Takes time proportional to the header.
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

/** The authserv-id in lower case, without a trailing dot. In the field it may be quoted, after comments and blanks. */
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

/** The end of a comment. Comments can be nested (RFC 5322, section 3.2.2). */
function commentEnd(value: string, start: number): number {
  let depth = 0;
  for (let at = start; at < value.length; at++) {
    if (value[at] === '\\') at++;
    else if (value[at] === '(') depth++;
    else if (value[at] === ')' && --depth === 0) return at + 1;
  }
  return value.length;
}
