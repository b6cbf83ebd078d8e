/** What a browser loads before it shows a page. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

const DIST = new URL('../../web/dist/dashboard/', import.meta.url);
const MAX_BYTES = 120_000;

interface Chunk {
  file: string;
  imports?: string[];
}

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8')) as Record<
  string,
  Chunk
>;

/** The files of a chunk and of all that it imports at once. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  assert.ok(chunk !== undefined, name);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const each of chunk.imports ?? []) filesOf(each, found);
  return found;
}

for (const page of [
  'start',
  'emails',
  'email',
  'templates',
  'template',
  'metrics',
  'api-keys',
  'domains',
  'domain',
  'suppressions',
  'directory',
  'webhooks',
  'webhook',
  'mailboxes',
  'mailbox',
  'aliases',
  'people',
  'usage',
  'audit',
  'settings',
  'system',
  'account',
  'sign-in',
]) {
  test(`the first load of ${page} is below 120 kB of JavaScript`, (context) => {
    const files = filesOf(`pages/${page}/page.tsx`, filesOf('index.html'));
    const bytes = [...files]
      .map((file) => statSync(new URL(`${file}.br`, DIST)).size)
      .reduce((sum, size) => sum + size, 0);
    context.diagnostic(`${bytes} bytes`);
    assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
  });
}
