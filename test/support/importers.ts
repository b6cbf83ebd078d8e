/** Finds the files that use a file, by the relative paths in their text. */
import { dirname, join, normalize } from 'node:path';

/** A relative path in quotes. Also matches paths of workers and fixtures, which are not imported but started or read. */
const RELATIVE = /['"`](\.\.?\/[^'"`\s]+)['"`]/g;

export class Importers {
  readonly #importers = new Map<string, string[]>();

  /** @param sources the text of each file, by its path from the repository root */
  constructor(sources: ReadonlyMap<string, string>) {
    for (const [path, text] of sources) {
      for (const [, name = ''] of text.matchAll(RELATIVE)) {
        const target = normalize(join(dirname(path), name));
        if (!sources.has(target)) continue;
        const importers = this.#importers.get(target);
        if (importers === undefined) this.#importers.set(target, [path]);
        else importers.push(path);
      }
    }
  }

  /**
   * The files themselves, and all files that import one of them, directly or indirectly.
   * @param isHub whether a file imports nearly everything. Importers of a hub are not followed, unless the hub is one of `files`
   */
  reach(files: Iterable<string>, isHub: (path: string) => boolean): Set<string> {
    const from = new Set(files);
    const reached = new Set(from);
    // Iterating over a set includes items that are added meanwhile.
    for (const path of reached) {
      if (isHub(path) && !from.has(path)) continue;
      for (const importer of this.#importers.get(path) ?? []) reached.add(importer);
    }
    return reached;
  }
}
