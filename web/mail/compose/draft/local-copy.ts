/**
 * A copy of unsaved changes in this tab, so that a reload loses nothing. The copy is deleted when the draft is saved,
 * when the tab is closed, and at sign-out.
 */
import type { Composition } from './composition.ts';

const PREFIX = 'posthorn-draft:';
const NAMES_PREFIX = 'posthorn-draft-names:';
/** How many names of a draft are remembered. Each save adds one, and no more saves than this can complete while the page reloads. */
const MAX_NAMES = 20;

const keyOf = (mailbox: string, client: string) => `${PREFIX}${mailbox}:${client}`;

export function storeCopy(mailbox: string, composition: Composition): void {
  try {
    sessionStorage.setItem(keyOf(mailbox, composition.client), JSON.stringify(composition));
  } catch {
    // Storage is full or disabled, so only the warning before the user leaves the page protects the text.
  }
}

export function dropCopy(mailbox: string, client: string): void {
  sessionStorage.removeItem(keyOf(mailbox, client));
}

/** @param composeValue the `compose` value in the page's URL */
export function findCopy(mailbox: string, composeValue: string): Composition | null {
  const name = nameNow(mailbox, composeValue);
  return copiesOf(mailbox).find((each) => each.composeValue === composeValue || each.id === name) ?? null;
}

/**
 * Returns the current name (`new` or an id) of a draft. Every save gives the draft a new id. If a reload begins before
 * the response to a save arrives, the URL still has the previous id, or `new`.
 */
export function nameNow(mailbox: string, composeValue: string): string {
  const names = namesOf(mailbox);
  // A link to a new message opens a new message, not the draft that was open last.
  const isMeant = composeValue.startsWith('msg_') || isReloaded();
  return isMeant && names.includes(composeValue) ? (names.at(-1) ?? composeValue) : composeValue;
}

/** Starts to record the names of the draft that is open. */
export function beginNames(mailbox: string, { composeValue, id }: Composition): void {
  if (id === null || namesOf(mailbox).at(-1) !== id) setNames(mailbox, [composeValue ?? '']);
}

export function addName(mailbox: string, id: string): void {
  const names = namesOf(mailbox);
  if (names.at(-1) !== id) setNames(mailbox, [...names, id].slice(-MAX_NAMES));
}

/** Deletes the recorded names, because no draft is open any more. */
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
    // Storage is full or disabled. After a reload, an older version of the draft may then be opened.
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
