/** Which files use which, by the paths that they name. */
import { dirname, join, normalize } from 'node:path';

/** Also paths of workers and fixtures, which are not imported but started or read. */
const RELATIVE = /['"`](\.\.?\/[^'"`\s]+)['"`]/g;

export class Importers {
  readonly #importers = new Map<string, string[]>();

  /** @param sources the text of each file, by its path from the root of the repository */
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
   * What imports one of the files, however far away, and those files.
   * @param isHub a file that imports nearly everything: what imports it is not reached through it, unless it is one of `files`
   */
  reach(files: Iterable<string>, isHub: (path: string) => boolean): Set<string> {
    const from = new Set(files);
    const reached = new Set(from);
    // A set goes on with what is added to it on the way.
    for (const path of reached) {
      if (isHub(path) && !from.has(path)) continue;
      for (const importer of this.#importers.get(path) ?? []) reached.add(importer);
    }
    return reached;
  }
}
