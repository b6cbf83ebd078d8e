/** The layout of the list. This browser stores it for all mailboxes. It contains nothing about mail, so it stays after signing out. */
import { watched } from '../../ui/watched.ts';

export interface Layout {
  /** `auto`: lines in a wide list, cards in a narrow list. */
  rows: 'auto' | 'lines' | 'cards';
  density: 'comfortable' | 'compact';
  /** The position of the open conversation in wide windows. */
  pane: 'beside' | 'below' | 'none';
  /** Whether headings such as "Yesterday" divide the list. */
  hasGroups: boolean;
  /** The part of the window for the list, in percent, if the user has changed it: beside and above the conversation. */
  beside: number | null;
  below: number | null;
}

const KEY = 'posthorn-list-layout';
const CHOICES = {
  rows: ['auto', 'lines', 'cards'],
  density: ['comfortable', 'compact'],
  pane: ['beside', 'below', 'none'],
  hasGroups: [true, false],
} as const;
/** The limits of the part for the list, in percent. */
export const MIN_PART = 20;
export const MAX_PART = 75;

/** The stored layout. A value that another version of the client has stored, and this one does not know, becomes the default. */
function stored(): Layout {
  let kept: Readonly<Record<string, unknown>> = {};
  try {
    kept = Object(JSON.parse(localStorage.getItem(KEY) ?? '{}')) as typeof kept;
  } catch {
    // Use the defaults.
  }
  const choice = <Name extends keyof typeof CHOICES>(name: Name) => {
    const choices: readonly unknown[] = CHOICES[name];
    return (choices.includes(kept[name]) ? kept[name] : choices[0]) as Layout[Name];
  };
  const part = (value: unknown) => (typeof value === 'number' ? withinParts(value) : null);
  return {
    rows: choice('rows'),
    density: choice('density'),
    pane: choice('pane'),
    hasGroups: choice('hasGroups'),
    beside: part(kept['beside']),
    below: part(kept['below']),
  };
}

export function withinParts(percent: number): number {
  return Math.min(MAX_PART, Math.max(MIN_PART, percent));
}

export const layout = watched(stored());

export function changeLayout(change: Partial<Layout>): void {
  const next = { ...layout.get(), ...change };
  layout.set(next);
  localStorage.setItem(KEY, JSON.stringify(next));
}
