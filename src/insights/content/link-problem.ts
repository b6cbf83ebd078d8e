/** What is wrong with the form of a link. Nobody is asked whether anything is there. */
import { isIP } from 'node:net';

const LEFT_OVER = /\{\{|\}\}|\{%|%\}|\$\{|\*\||%7B%7B/i;
const TWICE = /^https?:\/*https?[:/]/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const FOR_MAIL = new Set(['http', 'https', 'mailto', 'tel', 'sms']);
const MAX_URL = 2_000;

/** A sentence for people; null: nothing. @param href without white space around it */
export function linkProblem(href: string): string | null {
  if (href === '' || href === '#') return 'It leads nowhere.';
  if (href.startsWith('#')) return null;
  if (LEFT_OVER.test(href)) return 'A variable of a template is left in it.';
  if (TWICE.test(href)) return 'It has the scheme twice.';
  const [, scheme = ''] = SCHEME.exec(href) ?? [];
  if (scheme === '') return 'It has no scheme, and in a message there is no page that it could belong to.';
  if (!FOR_MAIL.has(scheme.toLowerCase())) return `Mail apps do not follow links of “${scheme}:”.`;
  if (href.length > MAX_URL) return 'It has more than 2,000 characters: some mail apps cut it.';
  if (/^mailto:/i.test(href)) return /^mailto:[^@?\s]+@[^@?\s]+/i.test(href) ? null : 'It names no address.';
  if (!/^https?:/i.test(href)) return null;
  if (/\s/.test(href)) return 'It has white space in it.';
  const url = URL.parse(href);
  if (url === null || !/^https?:\/\/[^/]/i.test(href)) return 'It is not a URL.';
  const { hostname, protocol } = url;
  if (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    isIP(hostname.replaceAll(/[[\]]/g, '')) > 0
  )
    return 'It leads to a machine, not to a name: recipients may not reach it, and filters distrust it.';
  if (!hostname.includes('.')) return 'Its host is no full name.';
  return protocol === 'http:' ? 'It is not https.' : null;
}
