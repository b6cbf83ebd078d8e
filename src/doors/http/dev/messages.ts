/** Caught mail for tests: one message as plain JSON, and the request that waits for a message (docs/dev.md). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import type { DevInbox, OpenedMail } from '../../../dev/inbox.ts';
import type { MailFilter } from '../../../dev/mail-query.ts';
import { contentOf } from '../../../dev/read-message.ts';
import { AppError } from '../../../model/app-error.ts';
import { EMAIL_STAGES } from '../../../model/email-status.ts';
import { decodeId, encodeId } from '../../../model/ids.ts';
import { formatMailbox } from '../../../rfc/address/index.ts';
import { idIn } from './ids.ts';
import { headersOf } from './mailpit.ts';

const DEFAULT_SECONDS = 10;
/** Shorter than the time after which the server closes a silent connection. */
const MAX_SECONDS = 60;
const MAX_WAITS = 100;
const TEXTS = ['to', 'from', 'subject', 'text'] as const;

/** @param ended aborted when the service stops */
export function addMessages(app: FastifyInstance, inbox: DevInbox, ended: AbortSignal): void {
  const waits = new Semaphore(MAX_WAITS, {
    maxWaiting: 0,
    makeError: () => new AppError('rate-limited', `At most ${MAX_WAITS} requests can wait for emails.`),
  });

  app.get('/dev/messages/wait', async (request, reply) => {
    const given = new URLSearchParams(request.query as string);
    const filter = filterIn(given);
    const seconds = secondsIn(given);
    const gone = new AbortController();
    // Not the `close` of the socket, which later requests use too.
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, ended]);
    const found = await waits.run(() => inbox.wait(filter, seconds * 1_000, signal));
    if (found === null) throw new AppError('not-found', `No such email arrived within ${seconds} s.`);
    return describe(inbox, found);
  });
  app.get('/dev/messages/:id', async ({ params }: FastifyRequest<{ Params: { id: string } }>) =>
    describe(inbox, await inbox.open(idIn(params.id))),
  );
  app.delete('/dev/messages', async (_request, reply) => {
    await inbox.deleteMatching();
    return reply.code(204).send();
  });
}

/** @throws AppError bad-request */
function filterIn(given: URLSearchParams): MailFilter {
  const filter: MailFilter = {};
  for (const name of TEXTS) {
    const words = withPlus(given.get(name)?.trim() ?? '');
    if (words !== '') filter[name] = words;
  }
  const since = given.get('since');
  const after = since === null ? null : decodeId('em', since);
  if (after !== null) filter.after = after;
  else if (since !== null) {
    filter.since = new Date(since);
    if (Number.isNaN(filter.since.getTime()))
      throw new AppError(
        'bad-request',
        'since must be a time, such as 2026-11-30T09:00:00Z, or the id of an email.',
      );
  }
  const status = given.get('status');
  if (status === null) return filter;
  const stage = EMAIL_STAGES.find((each) => each === status);
  if (stage === undefined)
    throw new AppError('bad-request', `status must be one of ${EMAIL_STAGES.join(', ')}.`);
  return { ...filter, status: stage };
}

/** Restores the `+` in an address such as `bounced+1@example.com`, which means a space in a query. An address contains no space. */
function withPlus(words: string): string {
  return /^[^\s@<]+( [^\s@<]+)+@\S+$/.test(words) ? words.replaceAll(' ', '+') : words;
}

/** @throws AppError bad-request */
function secondsIn(given: URLSearchParams): number {
  const seconds = Number(given.get('timeout') ?? DEFAULT_SECONDS);
  if (!(seconds >= 0 && seconds <= MAX_SECONDS))
    throw new AppError('bad-request', `timeout must be 0 to ${MAX_SECONDS} seconds.`);
  return seconds;
}

async function describe(inbox: DevInbox, mail: OpenedMail) {
  const { emailId, createdAt, senderAddress, from, to, cc, replyTo, subject, text, html } = mail;
  const { links, codes, files, fields, raw } = mail;
  const id = encodeId('em', emailId);
  return {
    id,
    created_at: createdAt.toISOString(),
    from: written(from[0] ?? { name: '', address: senderAddress }),
    to: to.map(written),
    cc: cc.map(written),
    reply_to: replyTo.map(written),
    subject,
    text,
    html,
    links,
    codes,
    attachments: files.map((file) => ({
      name: file.name,
      type: file.type,
      bytes: contentOf(raw, file).length,
      path: `/api/v1/message/${id}/part/${file.partId}`,
    })),
    headers: headersOf(fields),
    recipients: await inbox.recipients(emailId),
  };
}

function written({ name, address }: { name: string; address: string }): string {
  return formatMailbox({ displayName: name || null, address });
}
