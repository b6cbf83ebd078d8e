/** Checks the content of an email without the database. */
import { authenticateOwn } from '../../receiving/authenticate/authenticate-own.ts';
import { readContent } from '../../receiving/spam/mail.ts';
import { meaningOf } from '../../receiving/spam/meanings.ts';
import { findSpamSigns } from '../../receiving/spam/score.ts';
import { verdictOf } from '../../receiving/spam/verdict.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { decodeEncodedWords, decodeText, type Entity, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { fillPlaceholder, UNSUBSCRIBE_PLACEHOLDER } from '../../sending/track/unsubscribe-placeholder.ts';
import { checksOf } from './checks.ts';
import type { ContentReport, InspectedContent, Link, Signature, SpamReport } from './content.ts';
import { explainHeader } from './explain-header.ts';
import { readHtml, type HtmlLink } from '../../rfc/html/read-html.ts';
import { isIP } from 'node:net';

const LEFT_OVER = /\{\{|\}\}|\{%|%\}|\$\{|\*\||%7B%7B/i;

const TWICE = /^https?:\/*https?[:/]/i;

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

const FOR_MAIL = new Set(['http', 'https', 'mailto', 'tel', 'sms']);

const MAX_URL = 2_000;

const MAX_LINKS = 500;
const MAX_HTML = 16 * 1_048_576;
/** Stands for a recipient's own unsubscribe link, so that the checks see what the recipient gets. */
const SAMPLE_UNSUBSCRIBE_URL = 'https://posthorn.example/t/u/sample';
const URL_IN_TEXT = /\bhttps?:\/\/[^\s<>"'\])]{3,2000}/gi;

/** @param hostname the name of this server @param nowMs milliseconds since 1970 */
export function reportOn(content: InspectedContent, hostname: string, nowMs: number): ContentReport {
  const raw =
    content.raw === null
      ? null
      : Buffer.from(content.raw.buffer, content.raw.byteOffset, content.raw.byteLength);
  const root = raw === null ? null : readEntity(raw);
  const html = content.html;
  const filledHtml = html === null ? null : fillPlaceholder(html, SAMPLE_UNSUBSCRIBE_URL);
  const filledText = content.text === null ? null : fillPlaceholder(content.text, SAMPLE_UNSUBSCRIBE_URL);
  const outline = readHtml(filledHtml ?? '');
  const links = eachOnce(filledHtml === null ? linksInText(filledText ?? '') : outline.links);
  const judged = raw === null || root === null ? null : judge(raw, hostname, nowMs);
  const fields = root?.fields ?? [];
  const part = raw === null || root === null ? null : htmlPart(root);
  const signatures = judged?.signatures ?? [];
  const checked = {
    ...content,
    html: filledHtml,
    text: filledText,
    htmlOctets: Buffer.byteLength(
      raw === null || part === null ? (html ?? '') : decodeText(raw, part, MAX_HTML),
    ),
    outline,
    links,
    signatures,
    hasUnsubscribe: fieldValue(fields, 'list-unsubscribe') !== null,
    hasOneClick: fieldValue(fields, 'list-unsubscribe-post') !== null,
  };
  return {
    text: content.text ?? (html === null ? '' : htmlToText(html)),
    isTextMade: content.text === null && html !== null,
    fields: explainHeader(fields.map(({ name, value }) => ({ name, value: decodeEncodedWords(value) }))),
    signatures,
    links,
    checks: checksOf(checked),
    spam: judged?.spam ?? null,
  };
}

/** Scores the mail like the spam filter of a mailbox on this instance, but without the learned filter of a project. */
function judge(raw: Buffer, hostname: string, nowMs: number): { spam: SpamReport; signatures: Signature[] } {
  const arrival = { raw, address: '127.0.0.1', helo: hostname, mailFrom: '', isOwn: true };
  const mail = readContent(raw);
  const { domain: authorDomain } = mail.from;
  const authentication = authenticateOwn(arrival, { fields: mail.fields, authorDomain }, hostname);
  const { score, reasons } = verdictOf(
    findSpamSigns({ ...mail, arrival, authentication, hostname, nowMs }).reasons,
    'medium',
  );
  return {
    spam: {
      score,
      reasons: reasons.map(({ rule, weight }) => ({ rule, weight, meaning: meaningOf(rule) })),
    },
    signatures: authentication.dkim.map(({ domain, selector, algorithm }) => ({
      domain,
      selector,
      algorithm,
      isAligned: domain === authorDomain,
    })),
  };
}

function htmlPart(entity: Entity): Entity | null {
  if (entity.type === 'text/html') return entity;
  for (const part of entity.parts) {
    const found = htmlPart(part);
    if (found !== null) return found;
  }
  return null;
}

function linksInText(text: string): HtmlLink[] {
  return [...text.matchAll(URL_IN_TEXT)].map(([href]) => ({ href, text: '', parted: '' }));
}

/** Lists each URL once, with the placeholder of the unsubscribe link as the sender wrote it. */
function eachOnce(found: readonly HtmlLink[]): Link[] {
  const first = new Map<string, HtmlLink>();
  for (const link of found) if (!first.has(link.href)) first.set(link.href, link);
  const links = new Map<string, Link>();
  for (const { href, text } of [...first.values()].slice(0, MAX_LINKS)) {
    const url = unfilled(href);
    const problem = linkProblem(href);
    const known = links.get(url);
    if (known === undefined)
      links.set(url, { url, text: unfilled(text), problem, isUnsubscribe: href === SAMPLE_UNSUBSCRIBE_URL });
    // The hundred-and-first placeholder has the URL of the others, but is sent as it is.
    else known.problem ??= problem;
  }
  return [...links.values()];
}

function unfilled(text: string): string {
  return text.replaceAll(SAMPLE_UNSUBSCRIBE_URL, UNSUBSCRIBE_PLACEHOLDER);
}

/** The problem with a link, as a sentence. Null if the link has no problem. @param href without surrounding white space */
export function linkProblem(href: string): string | null {
  if (href === '' || href === '#') return 'It has no target.';
  if (href.startsWith('#')) return null;
  if (LEFT_OVER.test(href)) return 'It contains an unfilled template variable.';
  if (TWICE.test(href)) return 'It has the scheme twice.';
  const [, scheme = ''] = SCHEME.exec(href) ?? [];
  if (scheme === '') return 'It has no scheme. A relative link does not work in a message.';
  if (!FOR_MAIL.has(scheme.toLowerCase())) return `Mail apps do not open “${scheme}:” links.`;
  if (href.length > MAX_URL) return 'It has more than 2,000 characters: some mail apps cut it off.';
  if (/^mailto:/i.test(href))
    return /^mailto:[^@?\s]+@[^@?\s]+/i.test(href) ? null : 'It has no email address.';
  if (!/^https?:/i.test(href)) return null;
  if (/\s/.test(href)) return 'It contains white space.';
  const url = URL.parse(href);
  if (url === null || !/^https?:\/\/[^/]/i.test(href)) return 'It is not a URL.';
  const { hostname, protocol } = url;
  if (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    isIP(hostname.replaceAll(/[[\]]/g, '')) > 0
  )
    return 'It leads to an IP address or to localhost: recipients may not be able to open it, and spam filters distrust it.';
  if (!hostname.includes('.')) return 'Its host is not a full domain name.';
  return protocol === 'http:' ? 'It is not https.' : null;
}
