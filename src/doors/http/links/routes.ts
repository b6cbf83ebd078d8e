/**
 * Serves file links, `/s/<token>` (docs/operate/file-links.md). The URL alone grants access, so it must not leak. It appears in no log, no
 * other site learns the URL, and no cache stores the content.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { LinkDoor } from '../../../file-links/open/link-door.ts';
import type { LinkProofs } from '../../../file-links/open/link-proofs.ts';
import type { OpenedLink } from '../../../file-links/open/opened-link.ts';
import { PROVED_SECONDS } from '../../../file-links/open/limits.ts';
import type { ReadFile } from '../../../file-links/read-file.ts';
import { encodeId } from '../../../model/ids.ts';
import { TokenBuckets } from '../../../concurrency/rate-limit.ts';
import { clientNetwork, widerNetwork } from '../../../net/client-network.ts';
import { linkDownloadedBytes, linkDownloads, linkPasswords } from '../../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { cookiesOf, setCookie } from '../browser/cookies.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import { type Download, fileDownload, zipDownload } from './download.ts';
import { offeredFiles } from './offered-file.ts';
import { type LinkPage, linkPage } from './page.ts';
import { requestedRange } from './range.ts';
import { downloadHeaders, sendDownload } from './send-download.ts';
import { DownloadTraffic } from './traffic.ts';

export interface FileLinkRoutesOptions {
  door: LinkDoor;
  proofs: LinkProofs;
  read: ReadFile;
  /** Whether files are scanned before they can be downloaded (POSTHORN_CLAMD). */
  hasScanner: boolean;
  /** The public URL of the web client, which is also the URL of these pages. */
  address: Pick<Address, 'baseUrl'>;
  /** Whether rate limits apply. */
  isLimited: boolean;
  processes: () => number;
  logger: Logger;
  readUpTo(maxBytes: number): RawBodyReader;
}

type Call = FastifyRequest<{ Params: { token: string; number?: string; name?: string } }>;

const HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow, noarchive',
} as const;
/** Maximum bytes of a form: a password of 72 bytes, each of them percent-encoded, and some overhead. */
const MAX_FORM_BYTES = 8 * 1024;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const RETRY_SECONDS = 30;
/** Limits on requests for unknown links from one network. A person makes one or two such requests. */
const MISSES_A_MINUTE = 30;
const MISSES_AT_ONCE = 100;
/** Limits on requests from one network. The limits are enough for a whole office that opens a page and its downloads. */
const REQUESTS_A_SECOND = 20;
const REQUESTS_AT_ONCE = 400;
const ABOVE_PAGE = '../';
const ABOVE_FILE = '../../../';
const ABOVE_ZIP = '../../';
const ETAG = /^"([\w-]{22})(?:\.([\w.-]{1,80}))?"$/;

/** A Fastify plugin, so that these routes have their own body parser, for forms. */
export async function addFileLinks(app: FastifyInstance, options: FileLinkRoutesOptions): Promise<void> {
  const { door, proofs, read, hasScanner, logger, processes } = options;
  const nowMs = () => performance.now();
  const misses = new TokenBuckets(MISSES_A_MINUTE / 60, MISSES_AT_ONCE, nowMs, processes);
  const requests = new TokenBuckets(REQUESTS_A_SECOND, REQUESTS_AT_ONCE, nowMs, processes);
  const traffic = new DownloadTraffic();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', options.readUpTo(MAX_FORM_BYTES));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });

  /**
   * Finds the link. Null if an error page was sent. Attack: a client guesses tokens. After too many misses it no longer learns which links
   * exist.
   */
  async function findLink(request: Call, reply: FastifyReply, root: string): Promise<OpenedLink | null> {
    const network = clientNetwork(request.ip ?? '');
    const mayMiss = !options.isLimited || misses.peek(network).remaining > 0;
    if (!mayMiss || (options.isLimited && !requests.take(network).allowed)) {
      await refuse(reply, root);
      return null;
    }
    const link = await door.find(request.params.token, request.ip ?? '');
    if (link === null || link.files.length === 0) {
      await sendNotFound(request, reply, root);
      return null;
    }
    return link;
  }

  async function sendNotFound(
    request: FastifyRequest,
    reply: FastifyReply,
    root: string,
  ): Promise<FastifyReply> {
    misses.take(clientNetwork(request.ip ?? ''));
    linkDownloads.inc({ result: 'nowhere' });
    return sendPage(reply, 404, { shows: 'nothing' }, root);
  }

  function mayEnter(request: Call, link: OpenedLink): boolean {
    if (link.passwordHash === null) return true;
    const cookie = cookiesOf(request).get(cookieName(isSecure(options.address, request)));
    return proofs.provesPassword(link, cookie ?? '');
  }

  const offered = (link: OpenedLink) => offeredFiles(link.files, hasScanner);

  app.get('/s/:token', async (request: Call, reply) => {
    const link = await findLink(request, reply, ABOVE_PAGE);
    if (link === null) return reply;
    if (link.downloadsLeft === 0) return sendNotFound(request, reply, ABOVE_PAGE);
    const { token } = request.params;
    const page: LinkPage = mayEnter(request, link)
      ? { shows: 'files', token, link, files: offered(link) }
      : { shows: 'password', token, fault: null };
    return sendPage(reply, 200, page, ABOVE_PAGE);
  });

  app.post('/s/:token', async (request: Call, reply) => {
    const link = await findLink(request, reply, ABOVE_PAGE);
    if (link === null) return reply;
    if (link.downloadsLeft === 0) return sendNotFound(request, reply, ABOVE_PAGE);
    const { token } = request.params;
    if (link.passwordHash !== null) {
      const password = passwordIn(request);
      const verdict = await door.judgePassword(link, password, request.ip ?? '');
      linkPasswords.inc({ result: typeof verdict === 'string' ? verdict : 'try_later' });
      if (verdict !== 'right') {
        const isWrong = verdict === 'wrong';
        if (!isWrong) reply.header('retry-after', String(verdict.afterSeconds));
        const fault = isWrong
          ? 'Wrong password. Check capital letters and spaces, or ask the sender.'
          : 'Too many wrong passwords. Wait a few minutes, then try again.';
        return sendPage(reply, isWrong ? 403 : 429, { shows: 'password', token, fault }, ABOVE_PAGE);
      }
      const secure = isSecure(options.address, request);
      const above = new URL(options.address.baseUrl ?? 'http://localhost').pathname.replace(/\/$/, '');
      setCookie(reply, {
        name: cookieName(secure),
        value: proofs.passwordProof(link),
        maxAgeSeconds: PROVED_SECONDS,
        isSecure: secure,
        path: `${above}/s/${token}`,
      });
    }
    // The URL is relative, so that the redirect also works behind a proxy that adds a path prefix.
    return reply.code(303).header('location', `./${token}`).send();
  });

  app.get('/s/:token/all.zip', async (request: Call, reply) => {
    const link = await findLink(request, reply, ABOVE_ZIP);
    if (link === null) return reply;
    const files = offered(link).filter(({ state }) => state === 'ready');
    if (files.length < 2) return missing(request, reply, link, ABOVE_ZIP);
    return send(request, reply, link, zipDownload(link, files, read), ABOVE_ZIP);
  });

  app.get('/s/:token/:number/:name', async (request: Call, reply) => {
    const link = await findLink(request, reply, ABOVE_FILE);
    if (link === null) return reply;
    const { token, number, name } = request.params;
    const files = offered(link);
    const file = files.find((each) => String(each.number) === number);
    // Attack: an attacker sends a URL in which the file has a misleading name.
    if (file === undefined || file.name !== name) return missing(request, reply, link, ABOVE_FILE);
    if (file.state === 'ready') return send(request, reply, link, fileDownload(link, file, read), ABOVE_FILE);
    if (link.downloadsLeft === 0 || !mayEnter(request, link))
      return missing(request, reply, link, ABOVE_FILE);
    if (file.state !== 'infected') reply.header('retry-after', String(RETRY_SECONDS));
    const page: LinkPage = { shows: 'files', token, link, files };
    return sendPage(reply, file.state === 'infected' ? 403 : 503, page, ABOVE_FILE);
  });

  // A truncated link has such a path.
  app.get('/s/*', (request, reply) => sendNotFound(request, reply, ABOVE_PAGE));

  /** The response for a missing file. Visitors who have not entered the password do not learn which files exist. */
  function missing(
    request: Call,
    reply: FastifyReply,
    link: OpenedLink,
    root: string,
  ): Promise<FastifyReply> {
    if (link.downloadsLeft === 0 || mayEnter(request, link)) return sendNotFound(request, reply, root);
    const page: LinkPage = { shows: 'password', token: request.params.token, fault: null };
    return sendPage(reply, 403, page, root);
  }

  async function send(
    request: Call,
    reply: FastifyReply,
    link: OpenedLink,
    download: Download,
    root: string,
  ) {
    const { tag, octets } = download;
    const { range, 'if-range': ifRange } = request.headers;
    const [, validator, ticket = ''] = ETAG.exec(String(ifRange)) ?? [];
    const requested = requestedRange(range, octets, ifRange === undefined || validator === tag);
    const hasAccess = mayEnter(request, link);
    const mayBegin = link.downloadsLeft !== 0 && hasAccess;
    // A ticket proves that the download was admitted earlier. It is needed because a long download outlives the proof of the password.
    const ticketDownloadId = requested?.status === 206 ? proofs.readTicket(link, ticket, tag) : null;
    const isHead = request.method === 'HEAD';
    const mayResumeByOffset =
      ticketDownloadId === null && hasAccess && !isHead && requested !== null && requested.start > 0;
    if (!mayBegin && ticketDownloadId === null && !mayResumeByOffset)
      return missing(request, reply, link, root);
    if (isHead) return describe(reply, download);
    if (requested === null) return reply.code(416).header('content-range', `bytes */${octets}`).send();
    const network = clientNetwork(request.ip ?? '');
    const slot = traffic.enter({ network, wider: widerNetwork(request.ip ?? ''), linkId: link.id });
    if (slot === null) return refuse(reply, root);
    const bytes = {
      wanted: download.requested,
      start: requested.start,
      octets: requested.end - requested.start,
      all: octets,
      reader: proofs.reader(link, network),
    };
    let downloadId: string | null = null;
    let isNew = false;
    try {
      if (ticketDownloadId !== null && (await door.resume(link, ticketDownloadId, bytes)))
        downloadId = ticketDownloadId;
      if (mayResumeByOffset) downloadId = await door.resumeByOffset(link, bytes);
      isNew = downloadId === null;
      if (isNew && mayBegin) downloadId = await door.begin(link, bytes);
    } finally {
      if (downloadId === null) slot.leave();
    }
    if (downloadId === null) return sendNotFound(request, reply, root);
    const id = downloadId;
    linkDownloads.inc({ result: isNew ? 'begun' : 'gone_on' });
    const etag = `"${tag}.${proofs.ticket(link, id, tag)}"`;
    reply.code(requested.status).headers(downloadHeaders(download, requested, etag));
    return sendDownload(reply, download, {
      asked: requested,
      slot,
      ended(sent) {
        linkDownloadedBytes.inc(sent);
        door.end(link, id, bytes, sent).catch((error: unknown) => {
          logger.error({ err: error }, LOG_MESSAGES.downloadNotCounted);
        });
      },
      failed(error) {
        logger.error({ projectId: encodeId('prj', link.projectId), err: error }, LOG_MESSAGES.downloadFailed);
      },
    });
  }

  /** Responds to HEAD. No download is counted, and no ticket is issued. */
  function describe(reply: FastifyReply, download: Download): FastifyReply {
    const whole = { status: 200, start: 0, end: download.octets } as const;
    reply.headers(downloadHeaders(download, whole, `"${download.tag}"`));
    // Without a stream, Fastify would set Content-Length to 0.
    return reply.send(Readable.from([]));
  }

  async function refuse(reply: FastifyReply, root: string): Promise<FastifyReply> {
    linkDownloads.inc({ result: 'refused' });
    return sendPage(reply.header('retry-after', String(RETRY_SECONDS)), 429, { shows: 'busy' }, root);
  }
}

async function sendPage(
  reply: FastifyReply,
  status: number,
  page: LinkPage,
  root: string,
): Promise<FastifyReply> {
  const { headers, body } = await linkPage(page, root);
  return reply.code(status).headers(headers).send(body);
}

/**
 * The cookie name. Browsers accept the prefix `__Secure-` only over https. `__Host-` is impossible, because the cookie is limited to a
 * path.
 */
function cookieName(secure: boolean): string {
  return secure ? '__Secure-posthorn-link' : 'posthorn-link';
}

/** The submitted password. Empty if the request has no password. No link has an empty password. */
function passwordIn({ headers, body }: FastifyRequest): string {
  if (!Buffer.isBuffer(body) || !FORM.test(headers['content-type'] ?? '')) return '';
  return new URLSearchParams(body.toString()).get('password') ?? '';
}
