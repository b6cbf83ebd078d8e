/**
 * Serves the links of tracked messages (docs/tracking.md). The visitors are recipients and have no API key. If the database does not
 * respond, everything works except unsubscribing.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isMachine } from '../../../sending/track/is-machine.ts';
import { observeHit, observeUnsubscribe } from '../../../sending/track/observe-hit.ts';
import type { TrackingHit } from '../../../sending/track/record-hits.ts';
import { within } from '../../../concurrency/within.ts';
import { clientAddress } from '../../../net/client-network.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { trackingHits } from '../../../observe/instruments.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import type { HttpServices } from '../services.ts';
import { isOneClick, MAX_ONE_CLICK_BYTES } from './one-click.ts';
import { PAGE_HEADERS, PAGES } from './pages.ts';

type Services = Pick<HttpServices, 'trackingLinks' | 'recordHit' | 'unsubscribe'>;

/**
 * How long a visitor waits for the commit of a hit. A slower commit continues in the background and is lost only if the process ends first.
 */
const COMMIT_WAIT_MS = 1_000;
const RETRY_AFTER_SECONDS = '5';

/** A transparent GIF of one pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const HEADERS = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' } as const;

const MAX_USER_AGENT = 500;
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

type Open = { Params: { token: string } };
type Click = { Params: { token: string; target: string } };

/** A Fastify plugin, so that these routes have their own body parser, for forms. */
export async function addTracking(
  app: FastifyInstance,
  {
    services,
    logger,
    readUpTo,
  }: { services: Services; logger: Logger; readUpTo(maxBytes: number): RawBodyReader },
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readUpTo(MAX_ONE_CLICK_BYTES));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });

  /** Resolves when the hit is stored or lost, or after `COMMIT_WAIT_MS`. Never rejects. */
  async function record(hit: TrackingHit): Promise<void> {
    const written = services.recordHit(hit).then(
      (result) => observeHit(logger, hit, result),
      (error: unknown) => {
        trackingHits.inc({ kind: hit.kind, result: 'lost' });
        logger.error({ err: error }, LOG_MESSAGES.hitNotRecorded);
      },
    );
    await within(COMMIT_WAIT_MS, written, undefined);
  }

  app.get<Open>('/t/o/:token', async (request, reply) => {
    const of = services.trackingLinks.verifyPixel(request.params.token);
    if (of === null) trackingHits.inc({ kind: 'open', result: 'refused' });
    else if (isFollowed(request)) await record({ kind: 'open', of, ...visitorOf(request) });
    return reply.type('image/gif').send(PIXEL);
  });

  app.get<Click>('/t/c/:token/:target', async (request, reply) => {
    const { token, target } = request.params;
    const link = services.trackingLinks.verifyClick(token, target);
    if (link === null) return refuse(reply, 'click');
    if (isFollowed(request)) await record({ kind: 'click', ...link, ...visitorOf(request) });
    return reply.code(302).header('location', link.url).send();
  });

  // Scanners follow links, so GET only shows a page, and POST unsubscribes (RFC 8058, section 3.1).
  app.get<Open>('/t/u/:token', (request, reply) => {
    if (services.trackingLinks.verifyUnsubscribe(request.params.token) !== null)
      return sendPage(reply, 200, 'unsubscribe');
    return refuse(reply, 'unsubscribe');
  });

  async function unsubscribe({ params, headers, body }: FastifyRequest<Open>, reply: FastifyReply) {
    const of = services.trackingLinks.verifyUnsubscribe(params.token);
    if (of === null) return refuse(reply, 'unsubscribe');
    const isOneClickRequest =
      Buffer.isBuffer(body) && (await isOneClick(headers['content-type'] ?? '', body));
    if (!isOneClickRequest) return sendPage(reply, 400, 'notOneClick');
    const result = await services.unsubscribe(of).catch((error: unknown) => {
      trackingHits.inc({ kind: 'unsubscribe', result: 'lost' });
      throw error;
    });
    if (result === 'lost') {
      trackingHits.inc({ kind: 'unsubscribe', result: 'lost' });
      return sendPage(reply.header('retry-after', RETRY_AFTER_SECONDS), 503, 'notUnsubscribed');
    }
    if (!result) return refuse(reply, 'unsubscribe');
    observeUnsubscribe(logger, of);
    return sendPage(reply, 200, 'unsubscribed');
  }
  app.post<Open>('/t/u/:token', unsubscribe);

  // A truncated link has such a path.
  app.get('/t/*', (_request, reply) => sendPage(reply, 404, 'notFound'));
}

function isFollowed({ method }: FastifyRequest): boolean {
  return method !== 'HEAD';
}

/** The visitor's address and user agent, and whether the visitor is a machine. */
function visitorOf({ ip, headers }: FastifyRequest): Pick<TrackingHit, 'ip' | 'userAgent' | 'isMachine'> {
  const userAgent = headers['user-agent'] ?? null;
  const purposes = PURPOSE_HEADERS.flatMap((name) => headers[name] ?? []);
  return {
    // Null if the client has disconnected.
    ip: clientAddress(ip ?? ''),
    userAgent: userAgent?.slice(0, MAX_USER_AGENT).replaceAll(/[^ -~]/g, '?') ?? null,
    isMachine: isMachine({ userAgent, purposes }),
  };
}

function refuse(reply: FastifyReply, kind: 'click' | 'unsubscribe'): FastifyReply {
  trackingHits.inc({ kind, result: 'refused' });
  return sendPage(reply, 404, 'notFound');
}

function sendPage(reply: FastifyReply, status: number, name: keyof typeof PAGES): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).send(PAGES[name]);
}
