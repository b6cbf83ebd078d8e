/** A message while it is written, as the page has it; and what the service gives and takes instead. */
import type { Draft, Reply, SaveDraft } from '../../../../src/contract/mail/drafts.ts';
import type { Identities } from '../../../../src/contract/mail/identities.ts';
import { newKey } from '../../../ui/new-key.ts';
import { fromText } from '../editor/html.ts';
import type { UploadedFile } from '../files/files.ts';
import { parseAddresses, type Recipient } from '../recipients/parse-addresses.ts';

export interface Fields {
  /** Null: the address of the mailbox. */
  from: string | null;
  to: readonly Recipient[];
  cc: readonly Recipient[];
  bcc: readonly Recipient[];
  subject: string;
  /** What is answered or handed on; it goes out as it is, below the signature. */
  quotedHtml: string | null;
  withSignature: boolean;
  inReplyTo: string | null;
  mode: 'reply' | 'forward' | null;
}

export interface Composition {
  /** What the address of the page said when this was opened. Null: it is closed, and on its way to the service. */
  place: string | null;
  /** Of the draft that the service has; null: none yet. */
  id: string | null;
  /** Names the composer for the service: a save that is sent twice makes one draft. */
  client: string;
  fields: Fields;
  /** Null: plain text. */
  html: string | null;
  text: string;
  files: readonly UploadedFile[];
  /** It has what the service has not. */
  isUnsaved: boolean;
  /** When it was changed last, in ms; of two that are saved the service keeps the later one, whichever comes last. Without it: never here. */
  writtenAt?: number;
  /** When the service got the draft that this was opened from. */
  savedAt?: string;
}

const EMPTY: Fields = {
  from: null,
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
  place: string,
  isPlain: boolean,
  given: Partial<Fields> = {},
  text = '',
): Composition {
  return {
    place,
    id: null,
    client: newKey(),
    text,
    files: [],
    isUnsaved: false,
    fields: { ...EMPTY, ...given },
    html: isPlain ? null : text === '' ? '' : fromText(text),
  };
}

/** Of an address, or of a link such as `mailto:ann@acme.example?subject=Hello` (RFC 6068). */
export function fromMailto(place: string, link: string, isPlain: boolean): Composition {
  const url = new URL(/^mailto:/i.test(link) ? link : `mailto:${link}`);
  // In forms alone `+` is a space.
  const params = [...new URLSearchParams(url.search.replaceAll('+', '%2B'))];
  const param = (name: string) =>
    params.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  const to = parseAddresses([decode(url.pathname), ...param('to')].join(','));
  return newComposition(
    place,
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

export function fromDraft(place: string, draft: Draft): Composition {
  return {
    place,
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

export function fromReply(place: string, reply: Reply, isPlain: boolean): Composition {
  return {
    place,
    id: null,
    client: newKey(),
    isUnsaved: false,
    fields: fieldsOf(reply),
    text: reply.text,
    files: filesOf(reply),
    html: isPlain ? null : (reply.html ?? ''),
  };
}

/** What is saved: an image that was taken out of the text again is left out, and where the text is plain, those of what is answered. */
export function saveOf({ client, fields, html, text, files, writtenAt }: Composition): SaveDraft {
  const quoted = html !== null || fields.mode === 'forward' ? fields.quotedHtml : null;
  const shown = `${html ?? ''}${quoted ?? ''}`;
  const person = ({ name, address }: Recipient) => ({ name: name === '' ? null : name, address });
  return {
    client,
    html,
    text,
    from: fields.from,
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

/** How an address stands in an attribute. */
const escaped = (url: string) => url.replaceAll('&', '&amp;');

export type Limits = Identities['limits'];
