/** A Markdown file of the repository as a page. */
import { posix } from 'node:path';
import type { Guide } from './guides.ts';
import type { PageContent, PageLocation } from './page-source.ts';
import { html } from '../html.ts';
import { contentsList } from './contents-list.ts';
import { plainText, renderMarkdown } from './markdown.ts';

/** Where a page names a decision in brackets: those are for who changes the code. */
const REFERENCES = /\s*\(\[[^\]]*\]\([^)]*decisions\/[^)]*\)\)/g;
const MAX_DESCRIPTION = 200;

export function guideTitle({ source }: Guide): string {
  return plainText(/^# (.*)/m.exec(source)?.[1] ?? '');
}

/** @param place tells which files are served */
export function guidePage({ file, source }: Guide, place: PageLocation): PageContent {
  const resolve = (href: string) => linkFrom(file, href, place);
  const { title, body, headings } = renderMarkdown(source.replaceAll(REFERENCES, ''), { resolve });
  return {
    title,
    description: descriptionOf(source),
    contents: contentsList(headings),
    content: html`${body}`,
  };
}

/** @returns null for what is not served */
function linkFrom(file: string, href: string, { root, pathOfFile }: PageLocation): string | null {
  const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(href) ?? [];
  const path = pathOfFile(posix.join(posix.dirname(file), target));
  return path === null ? null : `${root}${path}${anchor}`;
}

/** The first sentences, for search engines. */
function descriptionOf(source: string): string {
  const [, first = ''] = source.split(/\n\n+/);
  const text = plainText(first.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')).replaceAll(/\s+/g, ' ');
  return text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, text.lastIndexOf(' ', MAX_DESCRIPTION))} …`;
}
