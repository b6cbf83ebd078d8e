/** The search index of the pages, with the text below each heading. The search itself runs in the browser (files/search.js). */
import type { PageContent } from './page-source.ts';

export interface SearchPage {
  path: string;
  title: string;
  group: string;
  /** The anchor of the heading. Empty for the text before the first heading. */
  sections: { id: string; heading: string; text: string }[];
}

/** Matches example requests, which are not indexed. */
const EXAMPLES = /<section class="example"[^]*?<\/section>/g;
/** Matches example responses in the reference, which are not indexed because the page also describes their fields in words. */
const ANSWERS =
  /(?:<p class="answers">[^<]*<\/p>\s*)?<div class="code"><pre[^>]*><code class="language-json">[^]*?<\/code><\/pre><\/div>/g;
const HEADING = /<h[2-4] id="([^"]*)">([^]*?)<\/h[2-4]>/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export function searchPage(path: string, group: string, { title, content }: PageContent): SearchPage {
  const whole = content.toString().replaceAll(EXAMPLES, ' ');
  const [before = '', ...rest] = (path.startsWith('api/') ? whole.replaceAll(ANSWERS, ' ') : whole).split(
    HEADING,
  );
  const sections = [{ id: '', heading: '', text: textOf(before) }];
  for (let at = 0; at < rest.length; at += 3)
    sections.push({
      id: rest[at] ?? '',
      heading: textOf(rest[at + 1] ?? ''),
      text: textOf(rest[at + 2] ?? ''),
    });
  return { path, title, group, sections };
}

/** Matches boundaries between entries, such as rows and list items. An excerpt starts after a boundary. */
const ENTRY_END = / · (?:· )*/g;

/**
 * The text of a page. The HTML comes from this service, so every `<` opens a tag. Patterns in the reference are for programs and are left
 * out.
 */
function textOf(html: string): string {
  return html
    .replaceAll(/(?:; )?(?:each )?matches <code>\^[^<]*<\/code>/g, '')
    .replaceAll(/<\/code> <span class="type">/g, ': ')
    .replaceAll(/<\/span> <span class="presence">([^]*?)<\/dt>/g, ', $1. ')
    .replaceAll(/<p class="endpoint">([^]*?)<\/p>/g, '$1 · ')
    .replaceAll('<span class="scope">', ' · ')
    .replaceAll(/<\/t[hd]>\s*<t[hd]\b[^>]*>/g, ' – ')
    .replaceAll(/<\/(?:li|tr|dd)>/g, ' · ')
    .replaceAll(
      /<\/?(?:p|div|pre|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|h\d|article|section)\b[^>]*>/g,
      ' ',
    )
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ –(?= ·)/g, '')
    .replaceAll(ENTRY_END, ' · ')
    .replaceAll(/^[ ·]+|[ ·]+$/g, '');
}
