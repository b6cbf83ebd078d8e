/** Links to the sections of a page, shown beside its text. */
import { type Html, html } from '../html.ts';

const MIN_HEADINGS = 2;
/** Maximum headings to list. For a page with more headings, only the headings of level 2 are listed. */
const MAX_HEADINGS = 40;

/** @returns null if the page is too short to need links to its sections */
export function contentsList(headings: readonly { level: number; id: string; text: string }[]): Html | null {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < MIN_HEADINGS) return null;
  const isLong = shown.length > MAX_HEADINGS;
  const listed = isLong ? shown.filter(({ level }) => level === 2) : shown;
  return html`<ul>
${listed.map(({ level, id, text }) => html`<li class="l${level}"><a href="#${id}">${text}</a></li>\n`)}</ul>
`;
}
