/**
 * A copy of unsaved changes in this tab, so that a reload loses nothing. It is deleted when the draft is saved, when
 * the tab is closed, and at sign-out.
 */
import type { Composition } from './composition.ts';

const PREFIX = 'posthorn-draft:';
const NAMES_PREFIX = 'posthorn-draft-names:';
/** Maximum number of saves that can complete while the page reloads. */
const MAX_NAMES = 20;

const keyOf = (mailbox: string, client: string) => `${PREFIX}${mailbox}:${client}`;

export function keepCopy(mailbox: string, composition: Composition): void {
  try {
    sessionStorage.setItem(keyOf(mailbox, composition.client), JSON.stringify(composition));
  } catch {
    // Storage is full or disabled: only the warning before leaving the page protects the text.
  }
}

export function dropCopy(mailbox: string, client: string): void {
  sessionStorage.removeItem(keyOf(mailbox, client));
}

/** @param place the `compose` value in the page's URL */
export function findCopy(mailbox: string, place: string): Composition | null {
  const name = nameNow(mailbox, place);
  return copiesOf(mailbox).find((each) => each.place === place || each.id === name) ?? null;
}

/**
 * Returns the current name of a draft. Every save gives the draft a new name. After a reload that began before the
 * response arrived, the URL still has the previous name, or names a new message.
 */
export function nameNow(mailbox: string, place: string): string {
  const names = namesOf(mailbox);
  // A link to a new message opens a new message, not the last draft.
  const isMeant = place.startsWith('msg_') || isReloaded();
  return isMeant && names.includes(place) ? (names.at(-1) ?? place) : place;
}

/** Records the names of the draft that is open. */
export function beginNames(mailbox: string, { place, id }: Composition): void {
  if (id === null || namesOf(mailbox).at(-1) !== id) setNames(mailbox, [place ?? '']);
}

export function addName(mailbox: string, id: string): void {
  const names = namesOf(mailbox);
  if (names.at(-1) !== id) setNames(mailbox, [...names, id].slice(-MAX_NAMES));
}

/** Forgets the names, because no draft is open any more. */
export function dropNames(mailbox: string): void {
  sessionStorage.removeItem(NAMES_PREFIX + mailbox);
}

function namesOf(mailbox: string): string[] {
  return JSON.parse(sessionStorage.getItem(NAMES_PREFIX + mailbox) ?? '[]') as string[];
}

function setNames(mailbox: string, names: readonly string[]): void {
  try {
    sessionStorage.setItem(NAMES_PREFIX + mailbox, JSON.stringify(names));
  } catch {
    // Storage is full or disabled. A reload then may open an older name of the draft.
  }
}

function isReloaded(): boolean {
  const [loaded] = performance.getEntriesByType('navigation');
  return loaded instanceof PerformanceNavigationTiming && loaded.type === 'reload';
}

export function copiesOf(mailbox: string): Composition[] {
  return Object.keys(sessionStorage)
    .filter((key) => key.startsWith(`${PREFIX}${mailbox}:`))
    .flatMap((key) => {
      try {
        return [JSON.parse(sessionStorage.getItem(key) ?? '') as Composition];
      } catch {
        return [];
      }
    });
}
