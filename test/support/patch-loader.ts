/** Loaded with `--import` into each process of a service under test: applies the patches of `POSTHORN_TEST_PATCHES`. */
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changesSource, fileOf, type Patch, patched } from './patches.ts';

const patches = JSON.parse(process.env['POSTHORN_TEST_PATCHES'] ?? '[]') as Patch[];
const sourcePatches = patches.filter(changesSource);

// Register no hook without patches, because hooks slow down loading.
if (sourcePatches.length > 0) {
  // Patches replace parts of TypeScript sources, so the service must not use its cache of stripped sources. It does not if a compile cache
  // is set.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'posthorn-patched');
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const mine = sourcePatches.filter((patch) => url.endsWith(`/${fileOf(patch)}`));
      if (mine.length === 0) return loaded;
      return {
        ...loaded,
        source: mine.reduce((source, patch) => patched(source, patch), String(loaded.source)),
      };
    },
  });
}

for (const patch of patches) {
  if (!('cores' in patch)) continue;
  os.availableParallelism = () => patch.cores;
  syncBuiltinESMExports();
}

// Prevents `releaseMemory` from collecting garbage: a collection takes a tenth of the start time, and a tested service is short-lived.
globalThis.gc = undefined;
