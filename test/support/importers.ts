/** Finds the files that import a file, by the relative paths in their texts. */
import { dirname, join, normalize } from 'node:path';

/** A relative path in quotes: the path of an import, or of a worker or fixture that is started or read instead of imported. */
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
   * All files that import one of `files`, directly or indirectly.
   * @param isHub whether a file imports nearly everything. Importers of a hub are found only if the hub is one of `files`
   */
  reach(files: Iterable<string>, isHub: (path: string) => boolean): Set<string> {
    const from = new Set(files);
    const reached = new Set(from);
    // This loop also visits files that are added to the set during the loop.
    for (const path of reached) {
      if (isHub(path) && !from.has(path)) continue;
      for (const importer of this.#importers.get(path) ?? []) reached.add(importer);
    }
    return reached;
  }
}
