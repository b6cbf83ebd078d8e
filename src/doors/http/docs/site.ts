/**
 * Renders the pages below `/docs`. This module does not cache rendered pages. Callers cache the bytes, which take a fifth of the memory of
 * the strings from which a page is built.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { ApiDocument } from '../api-document.ts';
import { guidePage, guideTitle, readGuides } from './guides.ts';
import { html } from '../html.ts';
import type { Instance } from './instance.ts';
import { layout } from '../page/layout.ts';
import { type Group, menuOf, menuView, neighborsView } from './menu.ts';
import { referencePages } from './reference/reference-pages.ts';
import type { PageContent, PageSource, PageLocation } from './page-source.ts';
import { type SearchPage, searchPage } from './search-index.ts';
import { docsStartPage } from './docs-start-page.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../../docs');
/** Media types of files such as images and sample code in the folders of the pages. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  ...Object.fromEntries(
    ['.go', '.php', '.py', '.rb', '.ts', '.yaml'].map((ending) => [ending, 'text/plain; charset=utf-8']),
  ),
};
const LINKS = [
  ['dashboard', 'Dashboard'],
  ['openapi.yaml', 'OpenAPI'],
] as const;

interface FileBeside {
  type: string;
  read(): Promise<Buffer>;
}

export class DocsSite {
  readonly #sources: ReadonlyMap<string, PageSource>;
  readonly #pathOfFile: ReadonlyMap<string, string>;
  readonly #groups: readonly Group[];
  /** Files such as images in the folders of the pages, by path below `/docs`. */
  readonly files: ReadonlyMap<string, FileBeside>;

  private constructor(
    sources: readonly PageSource[],
    pathOfFile: ReadonlyMap<string, string>,
    files: ReadonlyMap<string, FileBeside>,
  ) {
    this.#sources = new Map(sources.map((source) => [source.path, source]));
    this.#pathOfFile = pathOfFile;
    this.#groups = menuOf(sources);
    this.files = files;
  }

  static async open(document: ApiDocument, instance: Instance): Promise<DocsSite> {
    const [guides, files] = await Promise.all([readGuides(), filesBeside()]);
    const sources: PageSource[] = [
      docsStartPage(document, instance),
      ...referencePages(document, instance),
      ...guides.map((guide) => ({
        path: guide.path,
        title: guideTitle(guide),
        make: (location: PageLocation) => guidePage(guide, location),
      })),
    ];
    const served = new Map([
      ['README.md', 'docs'],
      ...guides.map(({ file, path }) => [file, `docs/${path}`] as const),
      ...Array.from(files.keys(), (file) => [`docs/${file}`, `docs/${file}`] as const),
    ]);
    return new DocsSite(sources, served, files);
  }

  get paths(): string[] {
    return [...this.#sources.keys()];
  }

  /** @param path the path below `/docs`, without a leading slash @returns null if there is no page at this path */
  page(path: string): string | null {
    const source = this.#sources.get(path);
    if (source === undefined) return null;
    const root = rootFrom(path);
    const content = this.#contentOf(source);
    return layout({
      ...content,
      root,
      menu: menuView(this.#groups, path, root),
      content: html`${content.content}${neighborsView(this.#groups, path, root)}`,
      links: LINKS,
    });
  }

  /** The search index entries of all pages, in the order of the menu. Lets other work run between pages. */
  async searchPages(): Promise<SearchPage[]> {
    const pages: SearchPage[] = [];
    for (const { title: group, entries } of this.#groups)
      for (const { path } of entries) {
        const source = this.#sources.get(path);
        if (source !== undefined) pages.push(searchPage(path, group, this.#contentOf(source)));
        await new Promise(setImmediate);
      }
    return pages;
  }

  #contentOf(source: PageSource): PageContent {
    return source.make({
      root: rootFrom(source.path),
      pathOfFile: (file) => this.#pathOfFile.get(file) ?? null,
    });
  }
}

/** The relative path from a page to the root of the service. */
function rootFrom(path: string): string {
  return path === '' ? './' : '../'.repeat(path.split('/').length);
}

/** Finds files such as images in the folders of the pages. The folder `decisions`, which is for developers, contains none. */
async function filesBeside(): Promise<ReadonlyMap<string, FileBeside>> {
  const entries = await readdir(DOCUMENTS, { withFileTypes: true, recursive: true });
  return new Map(
    entries.flatMap((entry) => {
      const type = FILE_TYPES[extname(entry.name)];
      if (!entry.isFile() || type === undefined) return [];
      const file = join(entry.parentPath, entry.name);
      const path = relative(DOCUMENTS, file).split(sep).join('/');
      return [[path, { type, read: () => readFile(file) }] as const];
    }),
  );
}
