/** The built pages of an application (docs/decisions/0074-pages.md). All URLs return the same document, which loads the other files. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CachedFile, type Encoding } from '../page/cached-file.ts';
import { HTML_TYPE } from '../page/page-headers.ts';
import { nothingHere } from '../problem.ts';
import { PAGES_FOLDER } from './pages-folder.ts';

/** Allows no content from other hosts, no inline code and no framing, so that injected markup can neither act nor leak data. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** The folder of files whose names contain a digest of the content. */
const HASHED = 'assets/';
const FOREVER = 'public, max-age=31536000, immutable';
/** Browsers cache a file and revalidate it each time, so that users get a new release at once. */
const ASK_EACH_TIME = 'private, no-cache';

const TYPES: Readonly<Record<string, string>> = {
  '.bcmap': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': HTML_TYPE,
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** The extensions of the compressed files that web/build.ts writes next to each file. */
const ENDINGS: readonly (readonly [Encoding, ending: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Posthorn</title><meta name="color-scheme" content="light dark">
<h1>The pages are not built</h1>
<p>The service accepts and sends mail normally. The reason is in its start-up log. After fixing it, build the pages with <code>npm run build:web</code>
in the service's folder, then reload this page.</p>
`;

type Files = ReadonlyMap<string, CachedFile>;

/** The name of an application. The application's folder in `web/dist` and the first segment of its URLs have the same name. */
type Application = 'dashboard' | 'mail';

export interface Pages {
  /** An identifier of the build, which changes with each release. Empty if no pages are built. */
  version(): Promise<string>;
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Opens the pages. Files are read on the first request and cached, because they do not change while the process runs. */
export function openPages(application: Application, folder = join(PAGES_FOLDER, application)): Pages {
  let reading: Promise<Files> | null = null;
  const files = async (): Promise<Files> => {
    reading ??= readFiles(folder);
    const found = await reading;
    // Read again at the next request, because the pages may be built in the meantime.
    if (!found.has('index.html')) reading = null;
    return found;
  };
  return {
    async version() {
      return (await files()).get('index.html')?.etag.replaceAll('"', '') ?? '';
    },
    async send(request, reply) {
      const path = request.url.slice(application.length + 2).replace(/[?#].*/s, '');
      const isHashed = path.startsWith(HASHED);
      const found = await files();
      const file = found.get(path) ?? (isHashed ? undefined : found.get('index.html'));
      reply.headers(HEADERS);
      // The service worker is one of these files. This header widens its scope to all pages of the application.
      if (isHashed) reply.header('service-worker-allowed', `/${application}/`);
      if (file !== undefined)
        return file.send(request, reply.header('cache-control', isHashed ? FOREVER : ASK_EACH_TIME));
      if (isHashed) return reply.code(404).type('text/plain').send('There is no such file.\n');
      return reply.code(503).header('cache-control', 'no-store').type(HTML_TYPE).send(NOT_BUILT);
    },
  };
}

/** Serves all URLs below `/<application>`, except for its API. */
export function addPages(app: FastifyInstance, application: Application, pages: Pages): void {
  for (const path of [`/${application}`, `/${application}/`, `/${application}/*`]) {
    app.get(path, async (request, reply) => {
      if (request.url.startsWith(`/${application}/api/`)) throw nothingHere();
      return pages.send(request, reply);
    });
  }
}

async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  const shown = paths.filter((path) => extname(path) in TYPES);
  return new Map(
    await Promise.all(
      shown.map(async (path) => [path, await readOne(folder, path, new Set(paths))] as const),
    ),
  );
}

async function readOne(folder: string, path: string, paths: ReadonlySet<string>): Promise<CachedFile> {
  const built = new Map<Encoding, Buffer>();
  for (const [name, ending] of ENDINGS)
    if (paths.has(path + ending)) built.set(name, await readFile(join(folder, path + ending)));
  return new CachedFile(TYPES[extname(path)] ?? '', await readFile(join(folder, path)), built);
}
