/** Converts drafts between their stored form and the API. */
import type { Draft, DraftAttachment, DraftFile, Reply, SaveDraft } from '../../contract/mail/drafts.ts';
import { validationError } from '../../model/app-error.ts';
import { decodeId, encodeId, NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { inlineUploads, withSources } from './clean-html.ts';
import type { WarnedDraft, WrittenContent } from './composer.ts';
import type { DraftContent } from './draft-content.ts';
import type { DraftFileRef } from './draft-file-importer.ts';
import type { UploadRow } from './uploads.ts';
import { uploadsAddress } from './uploads-address.ts';
import { uploadBody } from './upload-body.ts';

export function draftBody(mailbox: MailboxKey, draft: WarnedDraft): Draft {
  const { row, objectId, uploads, octets, conflict, warnings } = draft;
  return {
    id: encodeId('msg', objectId),
    ...contentBody(mailbox, row.content),
    attachments: attachmentsBody(mailbox, row.content, uploads),
    octets,
    saved_at: row.savedAt.toISOString(),
    conflict,
    warnings,
  };
}

export function contentBody({ mailboxId }: MailboxKey, content: DraftContent): Omit<Reply, 'attachments'> {
  const { from, identity, to, cc, bcc, subject, html, text, quotedHtml, withSignature, inReplyTo, mode } =
    content;
  const shown = (clean: string | null): string | null =>
    clean === null ? null : withSources(clean, (id) => `${uploadsAddress(mailboxId)}${id}`);
  return {
    from,
    identity: identity === undefined ? null : encodeId('snd', identity),
    to,
    cc,
    bcc,
    subject,
    text,
    mode,
    html: shown(html),
    quoted_html: shown(quotedHtml),
    with_signature: withSignature,
    in_reply_to: inReplyTo === null ? null : encodeId('msg', inReplyTo),
  };
}

export function attachmentsBody(
  mailbox: MailboxKey,
  { html, quotedHtml }: DraftContent,
  uploads: readonly UploadRow[],
): DraftAttachment[] {
  const inline = inlineUploads(`${html ?? ''}${quotedHtml ?? ''}`);
  return uploads.map((row) => {
    const { id: upload, ...file } = uploadBody(mailbox, row);
    return { upload, ...file, is_inline: inline.has(upload) };
  });
}

/** @throws AppError validation-failed if a file names neither an upload nor a message */
export function contentOf(body: SaveDraft): WrittenContent {
  const people = (list: SaveDraft['to'] = []) => list.map(({ name = null, address }) => ({ name, address }));
  const { from = null, subject, html, text, mode = null } = body;
  return {
    from,
    subject,
    html,
    text,
    mode,
    to: people(body.to),
    cc: people(body.cc),
    bcc: people(body.bcc),
    quotedHtml: body.quoted_html ?? null,
    withSignature: body.with_signature ?? true,
    inReplyTo: body.in_reply_to == null ? null : (decodeId('msg', body.in_reply_to) ?? NIL_UUID),
    files: (body.attachments ?? []).map(fileOf),
    ...(body.identity != null && { identity: decodeId('snd', body.identity) ?? NIL_UUID }),
    ...(body.written_at !== undefined && { writtenAt: body.written_at }),
  };
}

function fileOf({ upload, message, part }: DraftFile, at: number): DraftFileRef {
  if (upload !== undefined && message === undefined && part === undefined)
    return { upload: decodeId('upl', upload) ?? NIL_UUID };
  if (upload === undefined && message !== undefined)
    return { message: decodeId('msg', message) ?? NIL_UUID, part: part ?? null };
  throw validationError({
    attachments: `attachments[${at}]: specify either an upload, or a message and one of its parts`,
  });
}
