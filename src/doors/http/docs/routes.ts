/** Serves the start page `/`, the pages below `/docs`, and the files that these pages load. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { AppError, ERROR_CODES } from '../../../model/app-error.ts';
import type { ApiDocument } from '../api-document.ts';
import type { Visitors } from '../dashboard/visitors.ts';
import { html } from '../html.ts';
import { CachedFile, once, REVALIDATED } from '../page/cached-file.ts';
import { sendNotFoundPage } from '../page/not-found-page.ts';
import { HTML_TYPE, PAGE_HEADERS } from '../page/page-headers.ts';
import { stylesheet } from '../page/stylesheet.ts';
import { expectsPage } from '../page/wants-page.ts';
import type { Instance } from './instance.ts';
import { startPage } from './start-page.ts';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';
const FILES = join(import.meta.dirname, 'files');
const DOCUMENTS = join(import.meta.dirname, '../../../../docs');
const SCRIPTS = ['account.js', 'early.js', 'script.js', 'search.js', 'search-dialog.js', 'try.js'];

/** The image on the start page. It is below `/docs`, because guides also show it. */
const OVERVIEW = 'images/overview.png';
/** Paths of earlier releases, and paths that readers try because the Markdown version of the page has this name. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ['index', ''],
  ['sdk/manual', 'sdk'],
]);

/** While there is no owner, the first pages say how to get in. They disclose no more than the sign-in page. */
const NO_OWNER = html`<p class="notice">This server has no owner yet. Open the link that the service printed when it started. <a href="./dashboard">Where to find the link</a></p>
`;

const HEADERS = { ...PAGE_HEADERS, ...REVALIDATED } as const;

/**
 * @param visitors if the visitor is signed in to the dashboard, `/` redirects to the dashboard; null if there is no dashboard
 */
export function addDocs(
  app: FastifyInstance,
  document: () => ApiDocument,
  instance: () => Instance,
  visitors: Visitors | null,
): void {
  // Import on first use, because most processes never serve a page, and the renderer takes a while to load.
  const site = once(async () => (await import('./site.ts')).DocsSite.open(document(), instance()));
  const served = new Map<string, () => Promise<CachedFile>>();
  const serve = (path: string, type: string, make: () => Promise<string | Buffer>) =>
    served.set(
      path,
      once(async () => new CachedFile(type, Buffer.from(await make()))),
    );
  serve('style.css', 'text/css; charset=utf-8', () => stylesheet(join(FILES, 'style.css')));
  serve('icon.svg', 'image/svg+xml', () => readFile(join(FILES, 'icon.svg')));
  serve(OVERVIEW, 'image/png', () => readFile(join(DOCUMENTS, OVERVIEW)));
  for (const name of SCRIPTS) serve(name, JAVASCRIPT, () => readFile(join(FILES, name)));
  serve('search.json', JSON_TYPE, async () => JSON.stringify(await (await site()).searchPages()));
  const addPages = once(async () => {
    const opened = await site();
    for (const path of opened.paths) serve(path, HTML_TYPE, async () => opened.page(path) ?? '');
    for (const path of opened.markdownPaths)
      serve(path, MARKDOWN_TYPE, async () => opened.markdown(path) ?? '');
    serve('postman.json', JSON_TYPE, async () => opened.postman());
    for (const [path, { type, read }] of opened.files) if (path !== OVERVIEW) serve(path, type, read);
  });

  const pageFile = (make: () => Promise<string | null>) =>
    once(async () => new CachedFile(HTML_TYPE, Buffer.from((await make()) ?? '')));
  const start = pageFile(async () => startPage(instance(), null));
  const setUp = {
    start: pageFile(async () => startPage(instance(), NO_OWNER)),
    docs: pageFile(async () => (await site()).page('', NO_OWNER)),
  };
  const needsOwner = async () => visitors !== null && (await visitors.needsOwner());
  app.get('/', async (request, reply) => {
    if (visitors !== null && (await visitors.isSignedIn(request)))
      return reply.code(302).headers({ location: 'dashboard', 'cache-control': 'no-store' }).send();
    reply.headers(HEADERS).header('vary', 'cookie');
    return (await ((await needsOwner()) ? setUp.start() : start())).send(request, reply);
  });
  // Browsers request this icon when they show a response that is not a page, such as an API response or a file.
  app.get('/favicon.ico', async (request, reply) =>
    (await served.get('icon.svg')?.())?.send(request, reply.headers(HEADERS)),
  );
  const llms = once(
    async () => new CachedFile('text/plain; charset=utf-8', Buffer.from(await (await site()).llms())),
  );
  app.get('/llms.txt', async (request, reply) => (await llms()).send(request, reply.headers(HEADERS)));
  for (const path of ['/docs', '/docs/*'])
    app.get(path, async (request, reply) => {
      const requested = pathIn(request.url);
      const name = requested.replace(/\/$/, '');
      const elsewhere = MOVED.get(name) ?? name;
      // Style sheet, scripts, icon and the image of `/` are in `served` from the start, so the renderer of the pages is not loaded for them.
      if (!served.has(requested)) await addPages();
      const make = /^\/docs\/(?:[?#]|$)/.test(request.url) ? undefined : served.get(requested);
      if (make !== undefined) {
        const file = requested === '' && (await needsOwner()) ? setUp.docs : make;
        return (await file()).send(request, reply.headers(HEADERS));
      }
      if (served.has(elsewhere))
        return reply.code(301).header('location', locationOf(requested, elsewhere)).send();
      if (expectsPage(request.raw)) return sendNotFoundPage(request, reply);
      throw new AppError('not-found', 'Nothing exists at this path. Check the URL.');
    });
  app.get('/docs.md', async (_request, reply) => reply.code(301).header('location', 'docs/index.md').send());
  // The `type` of a problem is a URL with this path.
  app.get<{ Params: { slug: string } }>('/errors/:slug', async ({ params: { slug } }, reply) => {
    if (!(ERROR_CODES as readonly string[]).includes(slug))
      throw new AppError('not-found', 'There is no such error.');
    return reply.code(302).header('location', `../docs/errors#${slug}`).send();
  });
}

/** The path of the URL below `/docs`. */
function pathIn(url: string): string {
  return url.replace(/[?#].*/s, '').slice('/docs/'.length);
}

/** The relative URL for a redirect. A relative URL also works behind a proxy that adds a path prefix. */
function locationOf(requested: string, path: string): string {
  const up = '../'.repeat(requested.split('/').length);
  return `${up}docs${path === '' ? '' : `/${path}`}`;
}
