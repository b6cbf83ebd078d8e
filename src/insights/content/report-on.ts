/** Everything that is found out about the content of an email without the database. */
import { authenticateOwn } from '../../receiving/authenticate/authenticate-own.ts';
import { readContent } from '../../receiving/spam/mail.ts';
import { RULES } from '../../receiving/spam/rules.ts';
import { findSpamSigns, verdictOf } from '../../receiving/spam/score.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { decodeEncodedWords, decodeText, type Entity, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { checksOf } from './checks.ts';
import type { ContentReport, InspectedContent, Link, Signature, SpamReport } from './content.ts';
import { explainHeader } from './explain-header.ts';
import { linkProblem } from './link-problem.ts';
import { readHtml, type HtmlLink } from '../../rfc/html/read-html.ts';

const MAX_LINKS = 500;
const MAX_HTML = 16 * 1_048_576;
const URL_IN_TEXT = /\bhttps?:\/\/[^\s<>"'\])]{3,2000}/gi;
const MEANINGS = new Map(RULES.map(({ name, meaning }) => [name, meaning]));

/** @param hostname the name of this server @param nowMs milliseconds since 1970 */
export function reportOn(content: InspectedContent, hostname: string, nowMs: number): ContentReport {
  const raw =
    content.raw === null
      ? null
      : Buffer.from(content.raw.buffer, content.raw.byteOffset, content.raw.byteLength);
  const root = raw === null ? null : readEntity(raw);
  const html = content.html;
  const outline = readHtml(html ?? '');
  const text = content.text ?? (html === null ? '' : htmlToText(html));
  const found = html === null ? linksInText(text) : outline.links;
  const links = eachOnce(found).map((link): Link => {
    const { href: url, text } = link;
    return { url, text, problem: linkProblem(url) };
  });
  const judged = raw === null || root === null ? null : judge(raw, hostname, nowMs);
  const fields = root?.fields ?? [];
  const part = raw === null || root === null ? null : htmlPart(root);
  const signatures = judged?.signatures ?? [];
  const checked = {
    ...content,
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
    text,
    isTextMade: content.text === null && html !== null,
    fields: explainHeader(fields.map(({ name, value }) => ({ name, value: decodeEncodedWords(value) }))),
    signatures,
    links,
    checks: checksOf(checked),
    spam: judged?.spam ?? null,
  };
}

/** As a mailbox of this instance judges mail from here, without what a project has learned. */
function judge(raw: Buffer, hostname: string, nowMs: number): { spam: SpamReport; signatures: Signature[] } {
  const arrival = { raw, address: '127.0.0.1', helo: hostname, mailFrom: '', isOwn: true };
  const mail = readContent(raw);
  const { domain: authorDomain } = mail.from;
  const authentication = authenticateOwn(arrival, { fields: mail.fields, authorDomain }, hostname);
  const { score, reasons } = verdictOf(
    findSpamSigns({ ...mail, arrival, authentication, hostname, nowMs }).reasons,
  );
  return {
    spam: {
      score,
      reasons: reasons.map(({ rule, weight }) => ({ rule, weight, meaning: MEANINGS.get(rule) ?? '' })),
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

function eachOnce(links: readonly HtmlLink[]): HtmlLink[] {
  const first = new Map<string, HtmlLink>();
  for (const link of links) if (!first.has(link.href)) first.set(link.href, link);
  return [...first.values()].slice(0, MAX_LINKS);
}
