/**
 * What the service has not got yet, in this tab: a reload loses nothing. It goes when it is saved, when the tab is closed, and at
 * sign-out.
 */
import type { Composition } from './composition.ts';

const PREFIX = 'posthorn-draft:';
const NAMES_PREFIX = 'posthorn-draft-names:';
/** So many saves are answered at most while the page is loaded again. */
const MAX_NAMES = 20;

const keyOf = (mailbox: string, client: string) => `${PREFIX}${mailbox}:${client}`;

export function keepCopy(mailbox: string, composition: Composition): void {
  try {
    sessionStorage.setItem(keyOf(mailbox, composition.client), JSON.stringify(composition));
  } catch {
    // Full, or switched off: then the warning before the page is left is all there is.
  }
}

export function dropCopy(mailbox: string, client: string): void {
  sessionStorage.removeItem(keyOf(mailbox, client));
}

/** @param place what the address of the page says */
export function findCopy(mailbox: string, place: string): Composition | null {
  const name = nameNow(mailbox, place);
  return copiesOf(mailbox).find((each) => each.place === place || each.id === name) ?? null;
}

/**
 * A draft has another name after each save. A reload that began before the answer came asks for it by the name before, or for a new message: it finds here
 * what that became.
 */
export function nameNow(mailbox: string, place: string): string {
  const names = namesOf(mailbox);
  // Whoever follows a link to a new message means a new one.
  const isMeant = place.startsWith('msg_') || isReloaded();
  return isMeant && names.includes(place) ? (names.at(-1) ?? place) : place;
}

/** What is opened is known by its names from now on. */
export function beginNames(mailbox: string, { place, id }: Composition): void {
  if (id === null || namesOf(mailbox).at(-1) !== id) setNames(mailbox, [place ?? '']);
}

export function addName(mailbox: string, id: string): void {
  const names = namesOf(mailbox);
  if (names.at(-1) !== id) setNames(mailbox, [...names, id].slice(-MAX_NAMES));
}

/** Nothing is open any more. */
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
    // As above.
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
