/**
 * Fills the cache of stripped sources (`source-cache.js`). Runs in a process of its own before the service starts, so that the memory of
 * the TypeScript compiler is free again by then. If the service cannot start, ends without a message, because the start itself reports the
 * reason.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { readConfig } from '../app/config.ts';
import { requireProviderForFolder } from '../app/provider-missing.ts';
import { makeFolder } from '../installation/embedded/data-folder.ts';
import {
  fullMarker,
  isUsable,
  nameInCache,
  readStripped,
  SOURCE_CACHE,
  sourceFiles,
  writeStripped,
} from '../source-cache.js';

// Throws if the service could not start, because a start that fails must not create the data folder.
requireProviderForFolder(readConfig(process.env));
makeFolder(SOURCE_CACHE);
if (isUsable()) fill();

function fill(): void {
  const marker = fullMarker();
  const present = new Set(readdirSync(SOURCE_CACHE));
  const current = new Set<string>();
  for (const path of sourceFiles()) {
    const source = readFileSync(path);
    const name = nameInCache(source);
    current.add(name);
    if (!present.has(name) || readStripped(path) === null)
      writeStripped(name, stripTypeScriptTypes(source.toString()));
  }
  for (const name of present)
    if (!current.has(name)) rmSync(join(SOURCE_CACHE, name), { recursive: true, force: true });
  writeFileSync(marker, '');
}
