/** The pages for people, `/`, `/docs` and `/docs/webhooks`, the files that they load, and what is shown where there is no page. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiDocument } from '../api-document.ts';
import type { Instance } from './curl.ts';
import { notFoundPage } from './not-found-page.ts';
import { referencePage } from './reference-page.ts';
import { startPage } from './start-page.ts';
import { webhooksPage } from './webhooks-page.ts';

const HTML = 'text/html; charset=utf-8';
const DOCUMENTS = join(import.meta.dirname, '../../../../docs');

/** Nothing from elsewhere, nothing inline, no frame around it: text that slips past the escaping cannot act. */
export function contentSecurityPolicy(formAction: "'none'" | "'self'"): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    `form-action ${formAction}`,
  ].join('; ');
}

const PAGE_HEADERS = {
  'content-security-policy': contentSecurityPolicy("'none'"),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const HEADERS = {
  ...PAGE_HEADERS,
  // Browsers keep it and ask each time whether it changed, so that a new release shows at once.
  'cache-control': 'public, no-cache',
} as const;

/**
 * Each page is made at its first request and kept: it does not change while the process lives.
 * @param isSignedIn whether somebody is signed in to the dashboard, who at `/` wants that; null: there is none
 */
export function addDocs(
  app: FastifyInstance,
  document: () => ApiDocument,
  instance: () => Instance,
  isSignedIn: ((request: FastifyRequest) => Promise<boolean>) | null,
): void {
  addFile(
    app,
    '/',
    HTML,
    async () => startPage(document(), instance()),
    async (request, reply) => {
      reply.header('vary', 'cookie');
      if (isSignedIn === null || !(await isSignedIn(request))) return false;
      reply.code(302).headers({ location: 'dashboard', 'cache-control': 'no-store' }).send();
      return true;
    },
  );
  addFile(app, '/docs', HTML, async () =>
    referencePage(document(), await text(DOCUMENTS, 'errors.md'), instance()),
  );
  addFile(app, '/docs/webhooks', HTML, async () => webhooksPage(await text(DOCUMENTS, 'webhooks.md')));
  addFile(app, '/docs/style.css', 'text/css; charset=utf-8', () => text(import.meta.dirname, 'style.css'));
  addFile(app, '/docs/icon.svg', 'image/svg+xml', () => text(import.meta.dirname, 'icon.svg'));
  addFile(app, '/docs/script.js', 'text/javascript; charset=utf-8', () =>
    text(import.meta.dirname, 'script.js'),
  );
}

/** A page in place of the problem document `not-found`. */
export function sendNotFoundPage({ url }: FastifyRequest, reply: FastifyReply): void {
  reply.code(404).headers(PAGE_HEADERS).header('vary', 'accept').type(HTML).send(notFoundPage(url));
}

function addFile(
  app: FastifyInstance,
  path: string,
  mediaType: string,
  make: () => Promise<string>,
  /** Answers otherwise where it resolves with true. */
  turnAway: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean> = async () => false,
): void {
  // As bytes, which all clients share: of a text each one that does not read would have a copy.
  let made: Promise<{ body: Buffer; etag: string }> | null = null;
  app.get(path, async (request, reply) => {
    if (await turnAway(request, reply)) return reply;
    made ??= make().then((page) => ({ body: Buffer.from(page), etag: etagOf(page) }));
    const { body, etag } = await made.catch((error: unknown) => {
      made = null;
      throw error;
    });
    reply.headers(HEADERS).header('etag', etag);
    if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type(mediaType).send(body);
  });
}

function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

/** The weak comparison of RFC 9110, section 13.1.2. A proxy that compresses makes the tag weak. */
function hasTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

function text(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8');
}
