/** The initial content of a composer for a reply or a forward. Nothing is saved yet. */
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import {
  isOwnAddress,
  mayWriteFrom,
  type OwnAddresses,
  ownAddresses,
  writable,
} from '../../mailboxes/own-addresses.ts';
import { addressesOf, readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { PartsReader } from '../../store/facts/parts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing, escaped, inlineUploads } from './clean-html.ts';
import { type DraftContent, oneLine, type TypedAddress } from './draft-content.ts';
import { type MessageFile, type MessageTexts, readTexts } from './message-files.ts';
import { findReadable, openMessage, type QuotedMessage } from './stored-message.ts';
import type { DraftFileImporter } from './draft-file-importer.ts';
import { uploadsAddress } from './uploads-address.ts';
import type { UploadRow } from './uploads.ts';
import { knownZone, timeIn } from '../zoned-time.ts';

/** Reply prefixes in several languages. A subject with a reply prefix does not get another prefix. */
const ANSWER =
  /^\s*(?:re|aw|antw|sv|vs|r|ref|odp|ynt|atb|bls|回复|答复|返信)(?:\s*\[\d{1,4}\]|\s*\(\d{1,4}\))?\s*[:：]/iu;

const FORWARD = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|pd|ilt|továbbítás|转发|轉寄)\s*[:：]/iu;

const MAX_SUBJECT = 990;

type ReplyMode = 'reply' | 'reply-all' | 'forward' | 'forward-attached';

export interface ReplyOptions {
  mode: ReplyMode;
  /** The time zone of the user who replies, as an ICU name. */
  zone?: string;
}

export interface Beginning {
  content: DraftContent;
  uploads: UploadRow[];
}

export interface RepliesOptions {
  database: Database;
  blobs: Pick<Blobs, 'open'>;
  parts: Pick<PartsReader, 'read'>;
  fileImporter: Pick<DraftFileImporter, 'import'>;
}

/** The maximum number of inline images of the original message, because each reply sends these images again. */
const MAX_PICTURES = 20;
const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
const CID = /\bcid:([^"'\s>]{1,500})/g;

export class Replies {
  readonly #options: RepliesOptions;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /**
   * Prepares a reply to a message of the mailbox, or of a mailbox that its owner can open as a member.
   * @returns null if there is no such message
   */
  async begin(
    mailbox: MailboxKey,
    objectId: string,
    { mode, zone = 'UTC' }: ReplyOptions,
  ): Promise<Beginning | null> {
    const { database, fileImporter } = this.#options;
    const found = await findReadable(database, mailbox, objectId);
    if (found === null) return null;
    const { stored } = found;
    const own = await ownAddresses(database, mailbox.projectId, mailbox.mailboxId);
    const shared = await readSharedSenders(database, mailbox);
    // Replies to a message of a shared mailbox are sent from its address, if the member may send from it.
    const answering = shared.find(({ mailboxId }) => mailboxId === found.mailboxId)?.own ?? null;
    const isForward = mode === 'forward' || mode === 'forward-attached';
    const content: DraftContent = {
      from:
        answering === null
          ? addressedAs(stored, addressesOf({ own, shared }))
          : (addressedAs(stored, answering) ?? writable(answering)[0]?.address ?? null),
      ...(isForward
        ? NO_RECIPIENTS
        : recipientsOfAnswer(stored, [...own, ...(answering ?? [])], mode === 'reply-all')),
      bcc: [],
      subject: isForward ? forwardSubject(stored.subject) : replySubject(stored.subject),
      html: '',
      text: '',
      quotedHtml: null,
      withSignature: true,
      inReplyTo: objectId,
      mode: isForward ? 'forward' : 'reply',
      // The first save sets these fields.
      attachments: [],
      answers: null,
      references: [],
    };
    if (mode === 'forward-attached') {
      const uploads = await fileImporter.import(mailbox, [{ message: objectId, part: null }]);
      return { content: { ...content, attachments: uploads.map(({ id }) => id) }, uploads };
    }
    const texts = readTexts(await openMessage(this.#options, mailbox, stored));
    // The recipient of a reply already has the files. Only the images in the quote are needed.
    const files = isForward ? texts.files : picturesIn(texts);
    const uploads = await fileImporter
      .import(
        mailbox,
        files.map(({ number }) => ({ message: objectId, part: number })),
      )
      .catch((error: unknown) => {
        // At the limit for files in drafts, the reply does not get the images.
        if (isForward || !(error instanceof AppError)) throw error;
        return [];
      });
    const quoted = await this.#quoted(mailbox, { ...texts, files }, uploads);
    const known = knownZone(zone);
    const quotedHtml = isForward ? forwarded(stored, quoted, known) : answered(stored, quoted, known);
    const inline = inlineUploads(quotedHtml);
    return {
      content: { ...content, quotedHtml, attachments: uploads.map(({ id }) => id) },
      uploads: uploads.toSorted(
        (a, b) => Number(inline.has(encodeId('upl', a.id))) - Number(inline.has(encodeId('upl', b.id))),
      ),
    };
  }

  /** Quotes the message, sanitized because the quote is sent in the name of the mailbox. */
  async #quoted(
    { mailboxId }: MailboxKey,
    { html, text, files }: MessageTexts,
    uploads: readonly UploadRow[],
  ): Promise<string> {
    if (html === null) return asHtml(text ?? '');
    const names = new Map(
      files.flatMap(({ contentId }, at) => {
        const upload = uploads[at];
        return contentId === null || upload === undefined ? [] : [[contentId, encodeId('upl', upload.id)]];
      }),
    );
    const named = html.replace(CID, (whole, id: string) => {
      const upload = names.get(id);
      return upload === undefined ? whole : `cid:${upload}`;
    });
    return sanitizeOutgoing(named, uploadsAddress(mailboxId));
  }
}

const NO_RECIPIENTS = { to: [], cc: [] };

function picturesIn({ html, files }: MessageTexts): MessageFile[] {
  const shown = new Set(Array.from((html ?? '').matchAll(CID), ([, id = '']) => id));
  let room = MAX_PICTURE_BYTES;
  return files
    .filter(({ contentId, type, octets }) => {
      if (contentId === null || !shown.has(contentId) || !type.startsWith('image/') || octets > room)
        return false;
      room -= octets;
      return true;
    })
    .slice(0, MAX_PICTURES);
}

type Addresses = QuotedMessage['addresses'];

/**
 * The recipients of a reply: the addresses in Reply-To, or else in From. A reply to one's own message goes to the recipients of that
 * message. Mail-Followup-To is ignored, because anyone can set that field.
 */
function recipientsOfAnswer(
  { addresses }: Pick<QuotedMessage, 'addresses'>,
  own: OwnAddresses,
  toAll: boolean,
): Pick<DraftContent, 'to' | 'cc'> {
  const isOwn = (address: string): boolean => {
    const parsed = parseMailbox(address);
    return !('error' in parsed) && isOwnAddress(parsed, own);
  };
  const others = (list: Addresses['to']): Addresses['to'] => list.filter(({ address }) => !isOwn(address));
  const { from, replyTo, to, cc } = addresses;
  const isMine = from.length > 0 && from.every(({ address }) => isOwn(address));
  const targets = [others(replyTo), others(from), ...(isMine ? [others(to)] : [])].find(
    (list) => list.length > 0,
  );
  // A message without other participants is a note to oneself.
  const first = targets ?? (isMine ? to : from);
  const seen = new Set<string>();
  const each = (list: Addresses['to']): TypedAddress[] =>
    list.flatMap(({ name, address }) => {
      const key = address.toLowerCase();
      if (address === '' || seen.has(key)) return [];
      seen.add(key);
      return [{ name: oneLine(name) || null, address: oneLine(address) }];
    });
  const answered = each(isMine && toAll ? others(to) : first);
  const answeredOrSelf = answered.length > 0 ? answered : each(first);
  return { to: answeredOrSelf, cc: toAll ? each([...others(to), ...others(cc)]) : [] };
}

/**
 * The address to which the message was sent and from which the mailbox may send, so that the reply is sent from the same address. Null for
 * the default address.
 */
function addressedAs({ addresses: { to, cc, from } }: QuotedMessage, may: OwnAddresses): string | null {
  for (const { address } of [...to, ...cc, ...from]) {
    const parsed = parseMailbox(address);
    if (!('error' in parsed) && mayWriteFrom(parsed, may)) return parsed.address;
  }
  return null;
}

function answered(stored: QuotedMessage, quoted: string, zone: string): string {
  const [author] = stored.addresses.from;
  const who = author === undefined ? 'someone' : shown(author);
  const when = stored.sentAt === null ? '' : `On ${timeIn(stored.sentAt, zone)}, `;
  return `<div>${escaped(`${when}${who} wrote:`)}</div><blockquote type="cite">${quoted}</blockquote>`;
}

function forwarded({ addresses, subject, sentAt }: QuotedMessage, quoted: string, zone: string): string {
  const lines = [
    ['From', addresses.from.map(shown).join(', ')],
    ['Date', sentAt === null ? '' : timeIn(sentAt, zone)],
    ['Subject', oneLine(subject)],
    ['To', addresses.to.map(shown).join(', ')],
    ['Cc', addresses.cc.map(shown).join(', ')],
  ].flatMap(([name, value]) => (value ? [`${name}: ${escaped(value)}`] : []));
  return `<div>---------- Forwarded message ----------<br>${lines.join('<br>')}</div><br><div>${quoted}</div>`;
}

function shown({ name, address }: Addresses['to'][number]): string {
  return name === '' ? oneLine(address) : `${oneLine(name)} <${oneLine(address)}>`;
}

function asHtml(text: string): string {
  const lines = text.trimEnd().toWellFormed().split('\n');
  return `<div>${lines.map((line) => escaped(line).replace(/^ +/, (spaces) => '&nbsp;'.repeat(spaces.length))).join('<br>')}</div>`;
}

function replySubject(subject: string): string {
  return marked(subject, ANSWER, 'Re: ');
}

function forwardSubject(subject: string): string {
  return marked(subject, FORWARD, 'Fwd: ');
}

function marked(subject: string, mark: RegExp, ours: string): string {
  const line = subject
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  const whole = mark.test(line) ? line : `${ours}${line}`;
  return [...whole].slice(0, MAX_SUBJECT).join('').trim();
}
