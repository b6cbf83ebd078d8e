/** Loaded with `--import` into each process of a service under test: applies the patches of `POSTHORN_TEST_PATCHES`. */
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { changesSource, fileOf, type Patch, patched } from './patches.ts';

const patches = JSON.parse(process.env['POSTHORN_TEST_PATCHES'] ?? '[]') as Patch[];
const sourcePatches = patches.filter(changesSource);

// Without hooks Node loads faster.
if (sourcePatches.length > 0) {
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

// Resources that a test's service leaves behind end with its process. A garbage collection after loading would take a tenth of the start.
globalThis.gc = undefined;
