/**
 * Renders the pages below `/docs`. This module does not cache rendered pages. Callers cache the bytes, which take a fifth of the memory of
 * the strings from which a page is built.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { ApiDocument } from '../api-document.ts';
import { guidePage, guideTitle, readGuides } from './guides.ts';
import { type Html, html } from '../html.ts';
import type { Instance } from './instance.ts';
import { layout } from '../page/layout.ts';
import { llmsText } from './llms.ts';
import { type Group, hrefOf, menuOf, menuView, neighborsView } from './menu.ts';
import { postmanCollection } from './postman.ts';
import { referencePages } from './reference/reference-pages.ts';
import type { PageContent, PageSource, PageLocation } from './page-source.ts';
import { type SearchPage, searchPage } from './search-index.ts';
import { toMarkdown } from './to-markdown.ts';
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
  readonly #document: ApiDocument;
  readonly #instance: Instance;
  /** Files such as images in the folders of the pages, by path below `/docs`. */
  readonly files: ReadonlyMap<string, FileBeside>;

  private constructor(
    { document, instance }: { document: ApiDocument; instance: Instance },
    sources: readonly PageSource[],
    pathOfFile: ReadonlyMap<string, string>,
    files: ReadonlyMap<string, FileBeside>,
  ) {
    this.#document = document;
    this.#instance = instance;
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
    return new DocsSite({ document, instance }, sources, served, files);
  }

  get paths(): string[] {
    return [...this.#sources.keys()];
  }

  /** The paths of the Markdown versions of all pages, below `/docs`. */
  get markdownPaths(): string[] {
    return this.paths.map(markdownPathOf);
  }

  /**
   * @param path the path below `/docs`, without a leading slash
   * @param notice shown above the heading
   * @returns null if there is no page at this path
   */
  page(path: string, notice: Html | null = null): string | null {
    const source = this.#sources.get(path);
    if (source === undefined) return null;
    const root = rootFrom(path);
    const content = this.#contentOf(source, root);
    return layout({
      ...content,
      root,
      notice,
      markdown: hrefOf(markdownPathOf(path), root),
      menu: menuView(this.#groups, path, root),
      content: html`${content.content}${neighborsView(this.#groups, path, root)}`,
      links: LINKS,
    });
  }

  /**
   * The Markdown version of a page, for programs that read the documentation. Its links are complete URLs, so that they work in a copy.
   * @param markdownPath one of `markdownPaths`
   */
  markdown(markdownPath: string): string | null {
    const path = this.paths.find((each) => markdownPathOf(each) === markdownPath);
    const source = path === undefined ? undefined : this.#sources.get(path);
    if (source === undefined) return null;
    const root = `${this.#instance.address}/`;
    const { title, content } = this.#contentOf(source, root);
    return toMarkdown(html`<h1>${title}</h1>${content}`.toString(), (href) => {
      const [, before = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(href) ?? [];
      const found = this.paths.find((each) => hrefOf(each, root) === before);
      return found === undefined ? href : hrefOf(markdownPathOf(found), root) + anchor;
    });
  }

  /** The file `/llms.txt`: the Markdown version of every page, in the order of the menu. */
  async llms(): Promise<string> {
    const pages = new Map<string, Pick<PageContent, 'title' | 'description'>>();
    for await (const { path, content } of this.#contents()) {
      const { title, description } = content;
      pages.set(path, { title, description });
    }
    return llmsText(this.#groups, this.#instance, (path) => ({
      url: hrefOf(markdownPathOf(path), `${this.#instance.address}/`),
      title: pages.get(path)?.title ?? '',
      description: pages.get(path)?.description ?? '',
    }));
  }

  postman(): string {
    return JSON.stringify(postmanCollection(this.#document, this.#instance), null, 2);
  }

  /** The search index entries of all pages, in the order of the menu. */
  async searchPages(): Promise<SearchPage[]> {
    const pages: SearchPage[] = [];
    for await (const { path, group, content } of this.#contents())
      pages.push(searchPage(path, group, content));
    return pages;
  }

  /** All pages in the order of the menu. Lets other work run between pages. */
  async *#contents() {
    for (const { title: group, entries } of this.#groups)
      for (const { path } of entries) {
        const source = this.#sources.get(path);
        if (source !== undefined) yield { path, group, content: this.#contentOf(source, rootFrom(path)) };
        await new Promise(setImmediate);
      }
  }

  #contentOf(source: PageSource, root: string): PageContent {
    return source.make({
      root,
      pathOfFile: (file) => this.#pathOfFile.get(file) ?? null,
    });
  }
}

/** The path of the Markdown version of a page, below `/docs`. */
function markdownPathOf(path: string): string {
  return `${path === '' ? 'index' : path}.md`;
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
