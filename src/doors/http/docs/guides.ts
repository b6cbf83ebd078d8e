/** Pages from Markdown files: the SDK manual, the changelog, and all files of `docs/` and `docs/operate/` except files for developers. */
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { html } from '../html.ts';
import { contentsList } from './contents-list.ts';
import { plainText, renderMarkdown } from './markdown.ts';
import type { PageContent, PageLocation } from './page-source.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDERS = ['docs', 'docs/operate'];
/** Files for developers, which are not served. */
const LEFT_OUT = ['architecture.md', 'changes.md', 'design.md', 'flow.md', 'release.md', 'sdk.md'];
/** Files in other folders, by path in the repository, with the path of their page below `/docs`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'sdk/README.md': 'sdk',
  'CHANGELOG.md': 'changelog',
};
/** A reference to a decision, in parentheses. Pages omit these references, because decisions are for developers. */
const REFERENCES = /\s*\(\[[^\]]*\]\([^)]*decisions\/[^)]*\)\)/g;
const MAX_DESCRIPTION = 200;

export interface Guide {
  /** The path of the Markdown file from the root of the repository. */
  file: string;
  /** The path of the page below `/docs`. */
  path: string;
  source: string;
}

/** @returns the guides in `docs/` and `docs/operate/`, sorted by name in each folder, then the files in `ELSEWHERE` */
export async function readGuides(): Promise<Guide[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(join(ROOT, folder)))
        .filter((name) => name.endsWith('.md') && !LEFT_OUT.includes(name))
        .toSorted()
        .map((name) => `${folder}/${name}`),
    ),
  );
  const files = [...found.flat(), ...Object.keys(ELSEWHERE)];
  return Promise.all(
    files.map(async (file) => ({
      file,
      path: ELSEWHERE[file] ?? file.slice('docs/'.length, -'.md'.length),
      source: await readFile(join(ROOT, file), 'utf8'),
    })),
  );
}

/** The text of the first heading. */
export function guideTitle({ source }: Guide): string {
  return plainText(/^# (.*)/m.exec(source)?.[1] ?? '');
}

/** @param location the location of the page, which determines the links to other files */
export function guidePage({ file, source }: Guide, location: PageLocation): PageContent {
  const resolve = (href: string) => linkFrom(file, href, location);
  const { title, lead, body, headings } = renderMarkdown(source.replaceAll(REFERENCES, ''), { resolve });
  return {
    title,
    description: descriptionOf(lead),
    contents: contentsList(headings),
    content: html`${body}`,
  };
}

/** @returns the URL of a link; null if the linked file is not served */
function linkFrom(file: string, href: string, { root, pathOfFile }: PageLocation): string | null {
  const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(href) ?? [];
  const path = pathOfFile(posix.join(posix.dirname(file), target));
  return path === null ? null : `${root}${path}${anchor}`;
}

/** The first sentences of a guide, as a description for search engines. */
function descriptionOf(lead: string): string {
  const text = plainText(lead.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, text.lastIndexOf(' ', MAX_DESCRIPTION))} …`;
}
