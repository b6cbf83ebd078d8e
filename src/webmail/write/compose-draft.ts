/** Composes a draft as a message, for Drafts and for sending. The same draft gives the same bytes, except for the date. */
import { encodeId, messageIdOf } from '../../model/ids.ts';
import type { MailboxAddress } from '../../rfc/address/index.ts';
import { addressField } from '../../rfc/message/address-field.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { otherField, unstructuredField } from '../../rfc/message/text-field.ts';
import { escaped, inlineUploads, withSources } from './clean-html.ts';
import { type DraftContent, mailboxOf, type TypedAddress } from './draft-content.ts';
import { DRAFT_FILES_BYTES } from './limits.ts';
import { fileNode, type MimeNode, MimeWriter, type Pieces, textNode } from './mime-tree.ts';
import type { UploadRow } from './uploads.ts';

export interface DraftComposing {
  /** The uuid of the draft, from which its Message-ID is made. */
  draftId: string;
  from: MailboxAddress;
  /** The sanitized signature. Null or empty if the mailbox has no signature. */
  signatureHtml: string | null;
  /** Where replies are sent. Absent: to the sender, or to the Reply-To of the mailbox, which submission adds. */
  replyTo?: MailboxAddress | null;
  /** The attached files, in the order of the draft's attachments, and the images of the signature. */
  uploads: readonly UploadRow[];
  piecesOf(upload: UploadRow): Pieces;
  /**
   * The time of saving. Null when the message is sent: a sent message contains all files and the signature, and submission adds the date.
   */
  savedAt: Date | null;
}

export interface ComposedDraft {
  octets: number;
  write(): AsyncGenerator<Buffer>;
}

const MAX_REFERENCES = 30;

export function composeDraft(content: DraftContent, composing: DraftComposing): ComposedDraft {
  const { draftId, from, savedAt } = composing;
  const fields =
    addressField('From', [from]) +
    addressField('Reply-To', composing.replyTo ? [composing.replyTo] : []) +
    addressField('To', mailboxesOf(content.to)) +
    addressField('Cc', mailboxesOf(content.cc)) +
    addressField('Bcc', mailboxesOf(content.bcc)) +
    unstructuredField('Subject', content.subject) +
    (savedAt === null ? '' : `Date: ${formatDate(savedAt)}\r\n`) +
    otherField('Message-ID', messageIdOf(draftId, from.domain)) +
    (content.answers === null ? '' : otherField('In-Reply-To', content.answers)) +
    (content.references.length === 0 ? '' : otherField('References', fewest(content.references).join(' '))) +
    'MIME-Version: 1.0\r\n';
  const header = Buffer.from(fields);
  const root = treeOf(content, composing);
  const writer = new MimeWriter(draftId.replaceAll('-', ''));
  return {
    octets: header.length + writer.octetsOf(root),
    async *write() {
      yield header;
      yield* writer.write(root);
    },
  };
}

/** The addresses that can be parsed. Invalid addresses stay in the draft, which cannot be sent with them. */
function mailboxesOf(people: readonly TypedAddress[]): MailboxAddress[] {
  return people.flatMap((person) => {
    const mailbox = mailboxOf(person);
    return 'error' in mailbox ? [] : [mailbox];
  });
}

/** The first reference and the most recent references, because a conversation may have thousands of references. */
function fewest(references: readonly string[]): string[] {
  const unique = [...new Set(references)];
  return unique.length <= MAX_REFERENCES
    ? unique
    : [...unique.slice(0, 1), ...unique.slice(1 - MAX_REFERENCES)];
}

function treeOf(content: DraftContent, composing: DraftComposing): MimeNode {
  const { savedAt, from, piecesOf } = composing;
  const inline = inlineUploads(content.html === null ? '' : htmlOf(content, content.html, composing, ''));
  const { taken, left } =
    savedAt === null ? { taken: composing.uploads, left: [] } : fitting(composing.uploads);
  const note = left.map(({ name }) => name).join(', ');
  const node = (upload: UploadRow, contentId: string | null): MimeNode => {
    const { name, type, octets } = upload;
    return fileNode({ name, type, octets, contentId, pieces: piecesOf(upload) });
  };
  const nameOf = (id: string): string => `${id.toLowerCase()}@${from.domain}`;
  const isInline = ({ id }: UploadRow): boolean => inline.has(encodeId('upl', id));
  const pictures = taken
    .filter(isInline)
    .map((upload) => node(upload, `<${nameOf(encodeId('upl', upload.id))}>`));
  const files = taken.filter((upload) => !isInline(upload)).map((upload) => node(upload, null));
  const body = content.html === null ? [] : [htmlOf(content, content.html, composing, note)];
  const rich = body.map((html): MimeNode => {
    const named = withSources(html, (id) => `cid:${nameOf(id)}`);
    const text = textNode('html', `<!doctype html><html><body>${named}</body></html>`);
    return pictures.length === 0
      ? text
      : { kind: 'multipart', subtype: 'related', parts: [text, ...pictures] };
  });
  const plain = textNode(
    'plain',
    body[0] === undefined ? textOf(content, composing, note) : htmlToText(body[0]),
  );
  const said: MimeNode =
    rich.length === 0 ? plain : { kind: 'multipart', subtype: 'alternative', parts: [plain, ...rich] };
  return files.length === 0 ? said : { kind: 'multipart', subtype: 'mixed', parts: [said, ...files] };
}

/**
 * Chooses the files that are stored in the draft's message. Their total size is limited, because each save writes the whole message again.
 */
function fitting(uploads: readonly UploadRow[]): { taken: UploadRow[]; left: UploadRow[] } {
  let room = DRAFT_FILES_BYTES;
  const taken: UploadRow[] = [];
  const left: UploadRow[] = [];
  for (const upload of uploads) {
    const isFit = upload.octets <= room;
    if (isFit) room -= upload.octets;
    (isFit ? taken : left).push(upload);
  }
  return { taken, left };
}

function htmlOf(
  { quotedHtml, withSignature }: DraftContent,
  html: string,
  { signatureHtml, savedAt }: DraftComposing,
  note: string,
): string {
  const signature =
    withSignature && savedAt === null && signatureHtml ? `<div class="signature">${signatureHtml}</div>` : '';
  return `${html}${note === '' ? '' : `<p>${escaped(noteOf(note))}</p>`}${signature}${quotedHtml ?? ''}`;
}

function textOf(
  { text, quotedHtml, withSignature }: DraftContent,
  { signatureHtml, savedAt }: DraftComposing,
  note: string,
): string {
  const parts = [text.trimEnd()];
  if (note !== '') parts.push(noteOf(note));
  // Mail apps that show text treat everything below "-- " as the signature (RFC 3676, section 4.3).
  if (withSignature && savedAt === null && signatureHtml) parts.push(`-- \n${htmlToText(signatureHtml)}`);
  if (quotedHtml !== null && quotedHtml !== '') parts.push(htmlToText(quotedHtml));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function noteOf(names: string): string {
  return `[Too large for a draft, attached only when you send it from the web client: ${names}]`;
}
