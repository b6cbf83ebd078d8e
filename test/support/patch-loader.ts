/** Loaded with `--import` into each process of a service under test: makes the patches of `POSTHORN_TEST_PATCHES`. */
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { changesSource, fileOf, type Patch, patched } from './patches.ts';

const patches = JSON.parse(process.env['POSTHORN_TEST_PATCHES'] ?? '[]') as Patch[];
const sourcePatches = patches.filter(changesSource);

// Without a patch Node loads faster.
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

// What a service of tests leaves behind ends with it. To collect it once all is loaded is a tenth of what a start costs.
globalThis.gc = undefined;
