/** Which IMAP keywords are labels (docs/mail-apps.md, Labels). */
import type { LabelColor } from '../../model/label-colors.ts';
import { checkedKeywords, foldedKeyword, MUTED, PINNED } from '../../store/flags.ts';

/** The names and colors that Thunderbird gives its tags. */
export const USUAL_LABELS: ReadonlyMap<string, { name: string; color: LabelColor }> = new Map([
  ['$label1', { name: 'Important', color: 'red' }],
  ['$label2', { name: 'Work', color: 'orange' }],
  ['$label3', { name: 'Personal', color: 'green' }],
  ['$label4', { name: 'To do', color: 'blue' }],
  ['$label5', { name: 'Later', color: 'purple' }],
]);

/** Keywords by which mail apps remember what they did. All others that do not begin with a dollar sign are labels. */
const NO_LABELS: ReadonlySet<string> = new Set([
  'junk',
  'nonjunk',
  'notjunk',
  'junkrecorded',
  'forwarded',
  'redirected',
  'mdnsent',
]);

/** @param keyword in lower case */
function isLabel(keyword: string): boolean {
  return keyword.startsWith('$') ? USUAL_LABELS.has(keyword) : !NO_LABELS.has(keyword);
}

export interface Marks {
  /** The keywords of labels, in lower case, sorted. */
  labels: string[];
  pinned: boolean;
  muted: boolean;
}

/** @param keywords of one or several messages */
export function marksOf(keywords: Iterable<string>): Marks {
  const folded = new Set([...keywords].map(foldedKeyword));
  return {
    labels: [...folded].filter(isLabel).sort(),
    pinned: folded.has(PINNED),
    muted: folded.has(MUTED),
  };
}

/** The keyword of a label in the form in which labels are compared. @returns null if it cannot be a label */
export function labelKeyword(text: string): string | null {
  const keyword = foldedKeyword(text);
  return checkedKeywords([keyword]) === null || !isLabel(keyword) ? null : keyword;
}
