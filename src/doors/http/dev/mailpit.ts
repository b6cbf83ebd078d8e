/** The parts of Mailpit's API that tests use, with its paths, names and types (https://mailpit.axllent.org/docs/api-v1/). */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DevInbox, MailSummary, OpenedMail } from '../../../dev/inbox.ts';
import { contentOf, type MessageFile } from '../../../dev/read-message.ts';
import { AppError } from '../../../model/app-error.ts';
import { encodeId } from '../../../model/ids.ts';
import { VERSION } from '../../../model/version.ts';
import { decodeEncodedWords, fieldValue, type HeaderField } from '../../../rfc/mime/index.ts';
import { BATCH } from '../../../retention/deleting.ts';
import { contentDisposition, sendHostile } from '../mail/messages/send-hostile.ts';
import { idIn, idsIn } from './ids.ts';
import { framedHtml, VIEW_POLICY } from './view.ts';

const MAX_LISTED = 1_000;
const DEFAULT_LISTED = 50;
const TEXT = 'text/plain; charset=utf-8';
/** Types that a browser shows without running anything in them. Files of other types are downloaded. */
const SHOWN =
  /^(?:image\/(?:png|jpeg|gif|webp|avif)|text\/(?:plain|csv|calendar)|application\/(?:pdf|json))$/;

type Call = FastifyRequest<{ Params: { id: string; part: string; file: string } }>;

interface Named {
  name: string;
  address: string;
}

export function addMailpit(app: FastifyInstance, inbox: DevInbox): void {
  const startedMs = performance.now();

  async function summary(request: FastifyRequest, query: string) {
    const { start, limit } = rangeIn(request);
    const [total, matching, messages] = await Promise.all([
      inbox.count(),
      inbox.count(query),
      inbox.list({ query, start, limit }),
    ]);
    return {
      total,
      unread: total,
      count: messages.length,
      messages_count: matching,
      messages_unread: matching,
      start,
      tags: [...new Set(messages.flatMap(({ tags }) => tags))].toSorted(),
      messages: messages.map(summaryOf),
    };
  }

  app.get('/api/v1/messages', (request) => summary(request, ''));
  app.get('/api/v1/search', (request) => summary(request, queryIn(request)));
  app.delete('/api/v1/messages', async (request, reply) => {
    const ids = idsIn(request);
    if (ids === null) await inbox.deleteMatching();
    else for (let at = 0; at < ids.length; at += BATCH) await inbox.delete(ids.slice(at, at + BATCH));
    return reply.type(TEXT).send('ok');
  });
  app.delete('/api/v1/search', async (request, reply) => {
    await inbox.deleteMatching(queryIn(request));
    return reply.type(TEXT).send('ok');
  });
  app.get('/api/v1/message/:id', async ({ params }: Call) => messageOf(await inbox.open(idIn(params.id))));
  app.get('/api/v1/message/:id/headers', async ({ params }: Call) =>
    headersOf((await inbox.open(idIn(params.id))).fields),
  );
  app.get('/api/v1/message/:id/raw', async ({ params, query }: Call, reply) => {
    const { raw, emailId } = await inbox.open(idIn(params.id));
    const isDownload = new URLSearchParams(query as string).get('dl') === '1';
    return sendHostile(reply, raw, {
      type: TEXT,
      saveAs: isDownload ? `${encodeId('em', emailId)}.eml` : null,
    });
  });
  app.get('/api/v1/message/:id/part/:part', async ({ params }: Call, reply) => {
    const { files, raw } = await inbox.open(idIn(params.id));
    const file = files.find(({ partId }) => partId === params.part);
    if (file === undefined) throw new AppError('not-found', 'The email has no file with this part id.');
    return sendFile(reply, file, contentOf(raw, file));
  });
  app.get('/view/:file', async ({ params, query }: Call, reply) => {
    const [, id, kind] = /^(.+)\.(html|txt)$/.exec(params.file) ?? [];
    if (id === undefined) throw new AppError('not-found', 'Add .html or .txt to the id of the email.');
    const mail = await inbox.open(idIn(id));
    if (kind === 'txt') return sendHostile(reply, mail.text, { type: TEXT, saveAs: null });
    if (mail.html === '') throw new AppError('not-found', 'This email has no HTML part.');
    const isEmbedded = new URLSearchParams(query as string).get('embed') === '1';
    const policy = VIEW_POLICY;
    return sendHostile(reply, framedHtml(mail, isEmbedded), {
      type: 'text/html; charset=utf-8',
      policy,
      saveAs: null,
    });
  });
  app.get('/livez', async (_request, reply) => reply.type(TEXT).send('ok'));
  app.get('/api/v1/info', async () => {
    const total = await inbox.count();
    return {
      Version: `posthorn ${VERSION}`,
      LatestVersion: 'disabled',
      Database: '',
      DatabaseSize: 0,
      Messages: total,
      Unread: total,
      Tags: {},
      RuntimeStats: {
        Uptime: Math.floor((performance.now() - startedMs) / 1_000),
        Memory: process.memoryUsage.rss(),
        MessagesDeleted: 0,
        SMTPAccepted: total,
        SMTPAcceptedSize: 0,
        SMTPRejected: 0,
        SMTPIgnored: 0,
      },
    };
  });
}

function sendFile(
  reply: FastifyReply,
  { name, type, contentId, partId }: MessageFile,
  content: Buffer,
): FastifyReply {
  const fileName = (name || contentId || `part-${partId}`).replaceAll(/[/\\\0-\x1f]/g, '_');
  if (!SHOWN.test(type))
    return sendHostile(reply, content, { type: 'application/octet-stream', saveAs: fileName });
  reply.header('content-disposition', contentDisposition(fileName).replace('attachment', 'inline'));
  return sendHostile(reply, content, { type, saveAs: null });
}

/** @throws AppError bad-request */
function queryIn({ query }: FastifyRequest): string {
  const text = new URLSearchParams(query as string).get('query')?.trim() ?? '';
  if (text === '') throw new AppError('bad-request', 'Add a search as the parameter query.');
  return text;
}

function rangeIn({ query }: FastifyRequest): { start: number; limit: number } {
  const given = new URLSearchParams(query as string);
  const number = (name: string, fallback: number, most: number): number => {
    const value = Number(given.get(name) ?? fallback);
    return Number.isInteger(value) && value >= 0 ? Math.min(value, most) : fallback;
  };
  return { start: number('start', 0, 1_000_000), limit: number('limit', DEFAULT_LISTED, MAX_LISTED) };
}

/** Without angle brackets, as Mailpit shows it. */
function bareId(messageId: string | null): string {
  return (messageId ?? '').replace(/^<|>$/g, '');
}

function addressOf({ name, address }: Named): { Name: string; Address: string } {
  return { Name: name, Address: address };
}

type Common = Pick<
  MailSummary,
  | 'emailId'
  | 'messageId'
  | 'from'
  | 'to'
  | 'cc'
  | 'replyTo'
  | 'subject'
  | 'tags'
  | 'octets'
  | 'undisclosed'
  | 'senderAddress'
>;

/** The fields that messages in lists and single messages share. */
function commonOf({
  emailId,
  messageId,
  from,
  to,
  cc,
  replyTo,
  subject,
  tags,
  octets,
  undisclosed,
  senderAddress,
}: Common) {
  return {
    ID: encodeId('em', emailId),
    MessageID: bareId(messageId),
    From: addressOf(from[0] ?? { name: '', address: senderAddress }),
    To: to.map(addressOf),
    Cc: cc.map(addressOf),
    Bcc: undisclosed.map((address) => addressOf({ name: '', address })),
    ReplyTo: replyTo.map(addressOf),
    Subject: subject,
    Tags: tags,
    Username: '',
    Size: octets,
  };
}

function summaryOf(mail: MailSummary) {
  return {
    ...commonOf(mail),
    Read: false,
    Created: mail.createdAt.toISOString(),
    Attachments: mail.attachments,
    Snippet: mail.preview,
  };
}

function messageOf(mail: OpenedMail) {
  const { fields, sentAt, createdAt, text, html, files, raw } = mail;
  const [inline, attached] = [true, false].map((isInline) =>
    files.filter((file) => file.isInline === isInline).map((file) => fileOf(raw, file)),
  );
  const value = (name: string) => fieldValue(fields, name) ?? '';
  return {
    ...commonOf(mail),
    ReturnPath: value('return-path').replace(/^<|>$/g, ''),
    ListUnsubscribe: {
      Header: value('list-unsubscribe'),
      Links: [...value('list-unsubscribe').matchAll(/<([^<>]+)>/g)].map(([, link = '']) => link),
      Errors: '',
      HeaderPost: value('list-unsubscribe-post'),
    },
    Date: (sentAt ?? createdAt).toISOString(),
    Text: text,
    HTML: html,
    Inline: inline,
    Attachments: attached,
  };
}

function fileOf(raw: Buffer, file: MessageFile) {
  const { partId, name, type, contentId } = file;
  const data = contentOf(raw, file);
  const hex = (algorithm: string) => hash(algorithm, data, 'hex');
  return {
    PartID: partId,
    FileName: name,
    ContentType: type,
    ContentID: contentId,
    Size: data.length,
    Checksums: { MD5: hex('md5'), SHA1: hex('sha1'), SHA256: hex('sha256') },
  };
}

/** The decoded values of the header fields, by name in the usual capitals (`Message-Id`), as Go writes them. */
export function headersOf(fields: readonly HeaderField[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of fields) {
    const shown = name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
    values.set(shown, [...(values.get(shown) ?? []), decodeEncodedWords(value)]);
  }
  return Object.fromEntries(values);
}
