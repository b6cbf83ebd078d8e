/** The message data that spam rules test, read once. */
import { parse as parseHost } from 'tldts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { readAddressList } from '../../rfc/address/index.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import {
  decodeEncodedWords,
  decodeText,
  type Entity,
  fieldValue,
  type HeaderField,
  readEntity,
} from '../../rfc/mime/index.ts';
import type { Arrival, Authentication } from '../authenticate/authentication.ts';
import { type Attachment, readAttachment } from './attachments.ts';
import { type HtmlFacts, readHtml } from './html-facts.ts';

/** An address in a field, parsed leniently because spam breaks the grammar. */
interface NamedAddress {
  /** The decoded name, without quotes. */
  name: string;
  /** The address in lower case. Empty if there is no address. */
  address: string;
  /** The domain in lower case, as A-labels. Empty if the address has no domain. */
  domain: string;
}

export interface SpamLink {
  url: URL;
  /** The registrable domain, such as `example.co.uk`, or the host if it has no registrable domain. */
  domain: string;
  /** The visible text of the link. */
  text: string;
}

export interface Mail extends SpamContent {
  arrival: Arrival;
  authentication: Authentication;
  hostname: string;
  /** When the message was received, in milliseconds since 1970. */
  nowMs: number;
}

/** The data from the message itself. */
export interface SpamContent {
  fields: readonly HeaderField[];
  from: NamedAddress;
  replyTo: NamedAddress;
  subject: string;
  /** The text of plain parts, and the visible text of HTML parts. */
  text: string;
  /** The text of the plain parts. Null if the message has no plain part. */
  plain: string | null;
  /** The visible text of the HTML parts. Null if the message has no HTML part. */
  shown: string | null;
  html: HtmlFacts | null;
  links: readonly SpamLink[];
  /** The number of links that are not web URLs, such as `javascript:`. */
  oddSchemes: number;
  /** Whether a text part is base64-encoded although it is all ASCII. */
  hasNeedlessBase64: boolean;
  attachments: readonly Attachment[];
}

/** The maximum numbers of octets of encoded text read from one part, and from all parts together. */
const MAX_PART = 131_072;
const MAX_TEXT = 262_144;
const MAX_ATTACHMENTS = 50;
const MAX_LINKS = 200;
/** The maximum number of entries of an address field in which an address is searched for. */
const MAX_ADDRESSES = 20;
const URL_IN_TEXT = /\bhttps?:\/\/[^\s<>"'\])]{3,500}/gi;

/** Reads the data from a message. Never throws. Takes time proportional to the octets that are read. */
export function readContent(raw: Buffer): SpamContent {
  const root = readEntity(raw);
  const { fields } = root;
  const plain: string[] = [];
  const htmls: string[] = [];
  const attachments: Attachment[] = [];
  let hasNeedlessBase64 = false;
  let left = MAX_TEXT;
  for (const leaf of leaves(root)) {
    const isAttached = /^\s*attachment/i.test(fieldValue(leaf.fields, 'content-disposition') ?? '');
    const isText = leaf.type === 'text/plain' || leaf.type === 'text/html';
    if (isText && !isAttached) {
      if (left <= 0) continue;
      const text = decodeText(raw, leaf, Math.min(MAX_PART, left));
      left -= Math.min(leaf.end - leaf.bodyStart, MAX_PART);
      (leaf.type === 'text/html' ? htmls : plain).push(text);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII
      hasNeedlessBase64 ||= leaf.transferEncoding === 'base64' && /^[\x00-\x7f]+$/.test(text);
    } else if (attachments.length < MAX_ATTACHMENTS) attachments.push(readAttachment(raw, leaf));
  }
  const html = htmls.length === 0 ? null : readHtml(htmls.join('\n'));
  const plainText = plain.length === 0 ? null : plain.join('\n');
  const shown = htmls.length === 0 ? null : htmlToText(htmls.join('\n'));
  const found = readLinks(plainText ?? '', html);
  return {
    fields,
    from: readAddress(fieldValue(fields, 'from') ?? ''),
    replyTo: readAddress(fieldValue(fields, 'reply-to') ?? ''),
    subject: decodeEncodedWords(fieldValue(fields, 'subject') ?? ''),
    text: [plainText ?? '', shown ?? ''].join('\n').trim(),
    plain: plainText,
    shown,
    html,
    ...found,
    hasNeedlessBase64,
    attachments,
  };
}

/** The text without the lines that quote another message: a warning about spam quotes it. */
export function withoutQuotes(text: string): string {
  return text.replaceAll(/^>.*(?:\n|$)/gm, '');
}

function* leaves(entity: Entity): Generator<Entity> {
  if (entity.parts.length === 0) yield entity;
  for (const part of entity.parts) yield* leaves(part);
}

function readAddress(value: string): NamedAddress {
  const text = value.slice(0, 2_000);
  const open = text.lastIndexOf('<');
  const name = open === -1 ? '' : text.slice(0, open);
  const first = readAddressList(text, MAX_ADDRESSES).find(({ domain }) => (domain ?? '') !== '');
  const domain = parseDomain((first?.domain ?? '').replace(/\.$/, ''));
  return {
    name: decodeEncodedWords(name).replaceAll('"', '').trim(),
    ...(first === undefined || typeof domain !== 'string'
      ? findAddress(open === -1 ? text : text.slice(open + 1))
      : { address: `${first.localPart}@${domain}`.toLowerCase(), domain }),
  };
}

/** The first address in text that breaks the grammar. */
function findAddress(text: string): Pick<NamedAddress, 'address' | 'domain'> {
  const [address = '', domain = ''] = /[^\s<>@,;:"]{1,64}@([a-z0-9._-]{1,253})/i.exec(text) ?? [];
  return { address: address.toLowerCase(), domain: domain.toLowerCase() };
}

function readLinks(plain: string, html: HtmlFacts | null): Pick<Mail, 'links' | 'oddSchemes'> {
  const given = [
    ...(html?.links ?? []),
    ...[...plain.matchAll(URL_IN_TEXT)].slice(0, MAX_LINKS).map(([href]) => ({ href, text: '' })),
  ];
  const links: SpamLink[] = [];
  let oddSchemes = 0;
  for (const { href, text } of given) {
    if (/^(?:javascript|data|vbscript|file):/i.test(href)) oddSchemes++;
    if (!/^https?:/i.test(href) || links.length === MAX_LINKS || !URL.canParse(href)) continue;
    const url = new URL(href);
    links.push({ url, domain: parseHost(url.hostname).domain ?? url.hostname, text: text.trim() });
  }
  return { links, oddSchemes };
}
