/**
 * The messages that are being written in this tab. The page's URL names them: `?compose=` the messages in panels, and `?inline=` the
 * replies inside the open conversation. Several names are separated by `|`, which no URL contains unescaped.
 */
import { type Watched, watched } from '../../ui/watched.ts';

/** The maximum number of messages that are open at once. */
export const MAX_OPEN = 8;

/** A name is `new`, an address, a mailto link, `reply:msg_…` (or another mode), or the id of the draft. */
export const namesIn = (value = ''): string[] =>
  value
    .split('|')
    .filter((name) => name !== '')
    .slice(0, MAX_OPEN);

export const withName = (value: string | undefined, name: string): string =>
  [...new Set([...namesIn(value), name])].join('|');

/** Replaces the names of a message, or removes them. */
export const renamed = (value: string | undefined, from: readonly string[], to: string | null): string =>
  [...new Set(namesIn(value).map((name) => (from.includes(name) ? to : name)))]
    .filter((name) => name !== null)
    .join('|');

export interface OpenDraft {
  /** Identifies the composer while the draft changes its name. Later composers have larger keys. */
  key: number;
  /** The name with which the composer was opened. */
  begun: string;
  /** The names that the URL may have now. Every save gives the draft a new id, so the name changes while the composer stays open. */
  names: readonly string[];
  /** All ids that the draft has had. */
  ids: readonly string[];
  place: 'panel' | 'inline';
  /** The message that is replied to. Null while unknown, and for messages that are no replies. */
  reply: string | null;
  /** Whether the composer is only a tab. */
  isMinimized: boolean;
  /** Whether files are uploading, so that the composer must stay open. */
  isUploading: boolean;
}

/** The messages being written. The message that was opened or restored last is last. */
export const openDrafts: Watched<readonly OpenDraft[]> = watched<readonly OpenDraft[]>([]);

export function changeDraft(key: number, given: Partial<OpenDraft>): void {
  openDrafts.set(openDrafts.get().map((each) => (each.key === key ? { ...each, ...given } : each)));
}

/** Shows a message in front, if it is a tab or another message is in front. */
export function bringToFront(key: number): void {
  const all = openDrafts.get();
  const found = all.find((each) => each.key === key);
  if (found !== undefined)
    openDrafts.set([...all.filter((each) => each !== found), { ...found, isMinimized: false }]);
}

/** The open conversation, in which its replies are written. */
export interface InlineSlot {
  element: HTMLElement;
  /** The ids of its messages. */
  messages: ReadonlySet<string>;
}

/** Null if no conversation is open, and on phones, where replies are pages. */
export const inlineSlot = watched<InlineSlot | null>(null);

/** The last message that the user asked to write; it gets the focus. Each request is a new object. */
export const requested = watched<{ name: string } | null>(null);

let lastKey = 0;

/**
 * The messages being written after the URL has changed. A message whose files are uploading stays open as a tab, although the URL does not
 * name it any more, because the user has left its conversation.
 */
export function draftsOf(before: readonly OpenDraft[], panels: string[], inline: string[]): OpenDraft[] {
  const placed = [
    ...panels.map((name) => ({ name, place: 'panel' as const })),
    ...inline.map((name) => ({ name, place: 'inline' as const })),
  ];
  const kept = before.flatMap((draft) => {
    const found = placed.find(({ name }) => draft.names.includes(name));
    if (found === undefined)
      return draft.isUploading ? { ...draft, place: 'panel' as const, isMinimized: true } : [];
    const { name, place } = found;
    return { ...draft, place, names: name === draft.names.at(-1) ? [name] : draft.names };
  });
  const added = placed
    .filter(({ name }) => !kept.some(({ names }) => names.includes(name)))
    .map(({ name, place }) => ({
      key: ++lastKey,
      begun: name,
      names: [name],
      ids: name.startsWith('msg_') ? [name] : [],
      place,
      reply: /^reply(?:-all)?:(?<message>.+)/.exec(name)?.groups?.['message'] ?? null,
      isMinimized: false,
      isUploading: false,
    }));
  return [...kept, ...added];
}
