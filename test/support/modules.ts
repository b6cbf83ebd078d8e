/** The table of modules in docs/architecture.md, and the imports that it allows. */
import { dirname, join, normalize } from 'node:path';

/** Matches static and dynamic imports, including imports of types. The file of a worker thread does not count as an import. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.\.?\/[^'"]+)['"]/g;
const ROW = /^\| (`.*`) \| (.*) \|$/;
const NAME = /`([^`]+)`/g;
const ALL_ABOVE = 'all above';

/**
 * The modules that each module may import. A module is a path below src, or a path that begins with web or sdk. A file belongs to the
 * module with the longest path above the file.
 */
export class ModuleTable {
  readonly #allowed = new Map<string, ReadonlySet<string>>();

  /**
   * @param table Markdown. The first cell of a row has one or more modules. The second cell has `nothing`, or modules, or `all above`, or
   * `all above but` and modules
   * @throws Error for any other row, and for a module without a row
   */
  constructor(table: string) {
    const rows = table.split('\n').flatMap((line) => {
      const [, modules = '', allowed = ''] = ROW.exec(line) ?? [];
      return modules === '' ? [] : [{ modules: namesIn(modules), allowed }];
    });
    const known = new Set(rows.flatMap(({ modules }) => modules));
    const above: string[] = [];
    for (const { modules, allowed } of rows) {
      const named = namesIn(allowed);
      const isClear = allowed === 'nothing' || named.length > 0 || allowed === ALL_ABOVE;
      const unknown = named.find((name) => !known.has(name));
      if (!isClear || unknown !== undefined)
        throw new Error(`Cannot parse the table of modules: ${unknown ?? allowed}`);
      const may = allowed.startsWith(ALL_ABOVE) ? above.filter((module) => !named.includes(module)) : named;
      for (const module of modules) this.#allowed.set(module, new Set(may));
      above.push(...modules);
    }
  }

  get names(): string[] {
    return [...this.#allowed.keys()];
  }

  /** @param path from the repository root */
  moduleOf(path: string): string | null {
    const inSource = path.replace(/^src\//, '');
    for (let at = inSource; at !== '.'; at = dirname(at)) if (this.#allowed.has(at)) return at;
    return null;
  }

  /**
   * A line for each import that the table forbids: an import of another module, or of a file in no module.
   * @param path from the repository root
   * @param isOutside whether a file in no module may be imported from everywhere
   */
  violations(path: string, text: string, isOutside: (path: string) => boolean): string[] {
    const module = this.moduleOf(path);
    if (module === null) return [`${path} is in no module`];
    return [...text.matchAll(IMPORT)].flatMap(([, name = '']) => {
      const target = normalize(join(dirname(path), name));
      if (isOutside(target)) return [];
      const other = this.moduleOf(target);
      if (other === module || (other !== null && this.#allowed.get(module)?.has(other) === true)) return [];
      return [`${path} imports ${target}: ${module} may not import ${other ?? 'files in no module'}`];
    });
  }
}

function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name);
}
