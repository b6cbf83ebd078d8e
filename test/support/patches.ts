/**
 * Loaded with `--import` into a service under test: replaces text in its source files as they are loaded. Fault tests
 * shorten time-outs with it, and their control runs take a protection out to see the test go red. A patch that does
 * not find its text fails the load, so a test cannot pass because the code has moved on.
 */
import { registerHooks } from 'node:module';

export interface Patch {
  /** The end of the file's path, such as `src/queue/life.ts`. */
  file: string;
  find: string;
  replace: string;
}

const patches = JSON.parse(process.env['POSTHORN_TEST_PATCHES'] ?? '[]') as Patch[];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const mine = patches.filter((patch) => url.endsWith(`/${patch.file}`));
    if (mine.length === 0) return loaded;
    let source = String(loaded.source);
    for (const { file, find, replace } of mine) {
      if (!source.includes(find))
        throw new Error(`the patch of ${file} does not find ${JSON.stringify(find)}`);
      source = source.replaceAll(find, () => replace);
    }
    return { ...loaded, source };
  },
});
