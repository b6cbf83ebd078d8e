/** All pages below `/docs`. Each is made when it is asked for first, and kept: it does not change while the process lives. */
import { readdir } from 'node:fs/promises';
import { extname, join, posix, relative, sep } from 'node:path';
import type { ApiDocument } from '../api-document.ts';
import { guidePage, guideTitle } from './guide-page.ts';
import { readGuides } from './guides.ts';
import { html } from '../html.ts';
import type { Instance } from './instance.ts';
import { layout } from '../page/layout.ts';
import { type Group, menuOf, menuView, turnView } from './menu.ts';
import { referencePages } from './reference/reference-pages.ts';
import type { PageContent, PageSource, PageLocation } from './page-source.ts';
import { type SearchPage, searchPage } from './search-index.ts';
import { docsStartPage } from './docs-start-page.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../../docs');
/** Of files beside the pages, such as images and code to copy. */
export const FILE_TYPES: Readonly<Record<string, string>> = {
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

export class DocsSite {
  readonly #sources: ReadonlyMap<string, PageSource>;
  readonly #pathOfFile: ReadonlyMap<string, string>;
  readonly #groups: readonly Group[];
  readonly #made = new Map<string, { page: string; content: PageContent }>();
  /** Files beside the pages, from the folder of documents. */
  readonly files: readonly string[];

  private constructor(
    sources: readonly PageSource[],
    pathOfFile: ReadonlyMap<string, string>,
    files: readonly string[],
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
        make: (place: PageLocation) => guidePage(guide, place),
      })),
    ];
    const served = new Map([
      ['README.md', 'docs'],
      ...guides.map(({ file, path }) => [file, `docs/${path}`] as const),
      ...files.map((file) => [`docs/${file}`, `docs/${file}`] as const),
    ]);
    return new DocsSite(sources, served, files);
  }

  get paths(): string[] {
    return [...this.#sources.keys()];
  }

  /** @param path below `/docs`, without a slash before it @returns null where there is none */
  page(path: string): string | null {
    return this.#make(path)?.page ?? null;
  }

  /** Of all pages, in the order of the menu. Lets others run between one page and the next. */
  async searchPages(): Promise<SearchPage[]> {
    const pages: SearchPage[] = [];
    for (const { title: group, entries } of this.#groups)
      for (const { path } of entries) {
        const made = this.#make(path);
        if (made !== null) pages.push(searchPage(path, group, made.content));
        await new Promise(setImmediate);
      }
    return pages;
  }

  #make(path: string): { page: string; content: PageContent } | null {
    const known = this.#made.get(path);
    if (known !== undefined) return known;
    const source = this.#sources.get(path);
    if (source === undefined) return null;
    const root = path === '' ? './' : '../'.repeat(path.split('/').length);
    const content = source.make({ root, pathOfFile: (file) => this.#pathOfFile.get(file) ?? null });
    const page = layout({
      ...content,
      root,
      menu: menuView(this.#groups, path, root),
      content: html`${content.content}${turnView(this.#groups, path, root)}`,
      links: LINKS,
    });
    const made = { page, content };
    this.#made.set(path, made);
    return made;
  }
}

/** Decisions are for who changes the code, and their folder has nothing else. */
async function filesBeside(): Promise<string[]> {
  const entries = await readdir(DOCUMENTS, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && extname(entry.name) in FILE_TYPES)
    .map(({ parentPath, name }) => posix.join(...relative(DOCUMENTS, join(parentPath, name)).split(sep)))
    .toSorted();
}
