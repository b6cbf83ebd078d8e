/** Limits the compressed JavaScript that a browser loads before it shows a page. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

const DIST = new URL('../../web/dist/', import.meta.url);

interface Chunk {
  file: string;
  imports?: string[];
}

/** The built chunks of an application. */
class Build {
  readonly #folder: URL;
  readonly #manifest: Record<string, Chunk>;

  constructor(application: string) {
    this.#folder = new URL(`${application}/`, DIST);
    this.#manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', this.#folder), 'utf8')) as Record<
      string,
      Chunk
    >;
  }

  /** The compressed size of the chunks that a browser loads before it shows the page. */
  bytesOf(page: string): number {
    const files = this.#filesOf(`pages/${page}/page.tsx`, this.#filesOf('index.html'));
    return [...files]
      .map((file) => statSync(new URL(`${file}.br`, this.#folder)).size)
      .reduce((sum, size) => sum + size, 0);
  }

  /** The file of a chunk, and the files of its static imports. */
  #filesOf(name: string, found = new Set<string>()): Set<string> {
    const chunk = this.#manifest[name];
    assert.ok(chunk !== undefined, name);
    if (found.has(chunk.file)) return found;
    found.add(chunk.file);
    for (const each of chunk.imports ?? []) this.#filesOf(each, found);
    return found;
  }
}

const DASHBOARD = [
  'start',
  'emails',
  'email',
  'templates',
  'template',
  'template-piece',
  'metrics',
  'api-keys',
  'api-log',
  'domains',
  'domain',
  'suppressions',
  'directory',
  'webhooks',
  'webhook',
  'mailboxes',
  'mailbox',
  'aliases',
  'file-links',
  'people',
  'usage',
  'audit',
  'settings',
  'system',
  'account',
  'sign-in',
];
const MAIL = ['sign-in', 'list', 'settings', 'settings/account', 'settings/file-links'];

for (const { application, pages, maxBytes } of [
  { application: 'dashboard', pages: DASHBOARD, maxBytes: 126_000 },
  { application: 'mail', pages: MAIL, maxBytes: 150_000 },
]) {
  const build = new Build(application);
  for (const page of pages) {
    test(`${page} of ${application} first loads less than ${maxBytes / 1_000} kB of compressed JavaScript`, (context) => {
      const bytes = build.bytesOf(page);
      context.diagnostic(`${bytes} bytes`);
      assert.ok(bytes < maxBytes, `${bytes} bytes`);
    });
  }
}
