/** A message being written, as the page stores it, and conversions to and from the service's format. */
import type { Draft, Reply, SaveDraft } from '../../../../src/contract/mail/drafts.ts';
import type { Identities } from '../../../../src/contract/mail/identities.ts';
import { newKey } from '../../../ui/new-key.ts';
import { fromText } from '../editor/html.ts';
import type { UploadedFile } from '../files/files.ts';
import { parseAddresses, type Recipient } from '../recipients/parse-addresses.ts';

export interface Fields {
  /** The address of the sender. Null for the address of the mailbox. */
  from: string | null;
  /** The identity of the sender. Null for the default identity of the address. */
  identity: string | null;
  to: readonly Recipient[];
  cc: readonly Recipient[];
  bcc: readonly Recipient[];
  subject: string;
  /** The HTML of the quoted message, which is sent unchanged below the signature. Null without a quote. */
  quotedHtml: string | null;
  withSignature: boolean;
  inReplyTo: string | null;
  mode: 'reply' | 'forward' | null;
}

export interface Composition {
  /**
   * The `compose` value in the URL when the message was opened. Null if the composer is closed and the draft is still
   * being saved.
   */
  composeValue: string | null;
  /** The id of the stored draft; null before the first save. */
  id: string | null;
  /** Identifies the composer to the service, so that a repeated save creates only one draft. */
  client: string;
  fields: Fields;
  /** The HTML of the text. Null for a message in plain text. */
  html: string | null;
  text: string;
  files: readonly UploadedFile[];
  /** Whether there are changes that the service has not stored. */
  isUnsaved: boolean;
  /**
   * The time of the last change, in ms. Of two saves, the service keeps the save with the later time, even if that save
   * arrives first. Absent if the message was never changed in this tab.
   */
  writtenAt?: number;
  /** The time at which the service stored the opened draft. Absent for a new message. */
  savedAt?: string;
}

const EMPTY: Fields = {
  from: null,
  identity: null,
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  quotedHtml: null,
  withSignature: true,
  inReplyTo: null,
  mode: null,
};

const MAX_SUBJECT = 998;

const people = (list: Draft['to']): Recipient[] =>
  list.map(({ name, address }) => ({ name: name ?? '', address }));

export function newComposition(
  composeValue: string,
  isPlain: boolean,
  given: Partial<Fields> = {},
  text = '',
): Composition {
  return {
    composeValue,
    id: null,
    client: newKey(),
    text,
    files: [],
    isUnsaved: false,
    fields: { ...EMPTY, ...given },
    html: isPlain ? null : text === '' ? '' : fromText(text),
  };
}

/** Creates a message from an address, or from a link such as `mailto:ann@acme.example?subject=Hello` (RFC 6068). */
export function fromMailto(composeValue: string, link: string, isPlain: boolean): Composition {
  const url = new URL(/^mailto:/i.test(link) ? link : `mailto:${link}`);
  // In a mailto link `+` is a plus sign, unlike in form data, where `+` means a space.
  const params = [...new URLSearchParams(url.search.replaceAll('+', '%2B'))];
  const param = (name: string) =>
    params.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  const to = parseAddresses([decode(url.pathname), ...param('to')].join(','));
  return newComposition(
    composeValue,
    isPlain,
    {
      to,
      cc: parseAddresses(param('cc').join(',')),
      bcc: parseAddresses(param('bcc').join(',')),
      subject: param('subject')[0]?.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT) ?? '',
    },
    param('body').join('\n'),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const fieldsOf = (given: Draft | Reply): Fields => ({
  from: given.from ?? null,
  identity: given.identity ?? null,
  to: people(given.to),
  cc: people(given.cc ?? []),
  bcc: people(given.bcc ?? []),
  subject: given.subject,
  quotedHtml: given.quoted_html ?? null,
  withSignature: given.with_signature ?? true,
  inReplyTo: given.in_reply_to ?? null,
  mode: given.mode ?? null,
});

const filesOf = ({ attachments }: Draft | Reply): UploadedFile[] =>
  attachments.map(({ upload, url, is_inline: isInline, name, type, octets }) => ({
    key: upload,
    upload,
    url,
    isInline,
    name,
    type,
    octets,
  }));

export function fromDraft(composeValue: string, draft: Draft): Composition {
  return {
    composeValue,
    id: draft.id,
    client: newKey(),
    isUnsaved: false,
    savedAt: draft.saved_at,
    fields: fieldsOf(draft),
    html: draft.html,
    text: draft.text,
    files: filesOf(draft),
  };
}

export function fromReply(composeValue: string, reply: Reply, isPlain: boolean): Composition {
  return {
    composeValue,
    id: null,
    client: newKey(),
    isUnsaved: false,
    fields: fieldsOf(reply),
    text: reply.text,
    files: filesOf(reply),
    html: isPlain ? null : (reply.html ?? ''),
  };
}

/**
 * The draft to save. Images that the user removed from the text are left out. In plain text the images of the quoted
 * message are left out as well.
 */
export function saveOf({ client, fields, html, text, files, writtenAt }: Composition): SaveDraft {
  const quoted = html !== null || fields.mode === 'forward' ? fields.quotedHtml : null;
  const shown = `${html ?? ''}${quoted ?? ''}`;
  const person = ({ name, address }: Recipient) => ({ name: name === '' ? null : name, address });
  return {
    client,
    html,
    text,
    from: fields.from,
    identity: fields.identity,
    subject: fields.subject,
    to: fields.to.map(person),
    cc: fields.cc.map(person),
    bcc: fields.bcc.map(person),
    quoted_html: fields.quotedHtml,
    with_signature: fields.withSignature,
    in_reply_to: fields.inReplyTo,
    mode: fields.mode,
    ...(writtenAt !== undefined && { written_at: new Date(writtenAt).toISOString() }),
    attachments: files
      .filter(({ isInline, url }) => !isInline || shown.includes(escaped(url)))
      .map(({ upload }) => ({ upload })),
  };
}

/** A URL escaped for an attribute. */
const escaped = (url: string) => url.replaceAll('&', '&amp;');

export type Limits = Identities['limits'];
