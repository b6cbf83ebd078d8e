/** What the search of the pages looks through: the text below each heading. The browser does the searching (files/search.js). */
import type { PageContent } from './page-source.ts';

export interface SearchPage {
  path: string;
  title: string;
  group: string;
  /** `id` is empty for what stands before the first heading. */
  sections: { id: string; heading: string; text: string }[];
}

/** The same request in other languages: curl's is enough to be found by. */
const EXAMPLES = /<section class="example"[^]*?<\/section>/g;
const HEADING = /<h[2-4] id="([^"]*)">([^]*?)<\/h[2-4]>/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export function searchPage(path: string, group: string, { title, content }: PageContent): SearchPage {
  const [before = '', ...rest] = content.toString().replaceAll(EXAMPLES, ' ').split(HEADING);
  const sections = [{ id: '', heading: '', text: textOf(before) }];
  for (let at = 0; at < rest.length; at += 3)
    sections.push({
      id: rest[at] ?? '',
      heading: textOf(rest[at + 1] ?? ''),
      text: textOf(rest[at + 2] ?? ''),
    });
  return { path, title, group, sections };
}

/** The HTML is ours: a `<` begins a tag. */
function textOf(html: string): string {
  return html
    .replaceAll(
      /<\/?(?:p|div|pre|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|h\d|article|section)\b[^>]*>/g,
      ' ',
    )
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
