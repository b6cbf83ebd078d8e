/**
 * A copy of unsaved changes in this tab, so that a reload loses nothing. The copy is deleted when the draft is saved,
 * when the tab is closed, and at sign-out.
 */
import type { Composition } from './composition.ts';

const PREFIX = 'posthorn-draft:';
const NAMES_PREFIX = 'posthorn-draft-lists:';
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
  const names = namesOf(mailbox).find((each) => each.includes(composeValue));
  // A link to a new message opens a new message, not the draft that was open last.
  const isMeant = composeValue.startsWith('msg_') || isReloaded();
  return (isMeant ? names?.at(-1) : undefined) ?? composeValue;
}

/** Starts to record the names of a draft that is open. */
export function beginNames(mailbox: string, { composeValue, id }: Composition): void {
  const lists = namesOf(mailbox);
  if (id === null || !lists.some((names) => names.at(-1) === id))
    setNames(mailbox, [...without(lists, composeValue ?? ''), [composeValue ?? '']]);
}

/** @param before the id of the draft before it was saved, or the `compose` value if it was not saved before */
export function addName(mailbox: string, before: string, id: string): void {
  const lists = namesOf(mailbox);
  const names = lists.find((each) => each.at(-1) === before) ?? [before];
  if (before !== id)
    setNames(mailbox, [...lists.filter((each) => each !== names), [...names, id].slice(-MAX_NAMES)]);
}

/** Deletes the recorded names of a draft that is not open any more. @param name any of its names */
export function dropNames(mailbox: string, name: string): void {
  setNames(mailbox, without(namesOf(mailbox), name));
}

/** Deletes the recorded names of all drafts that the page's URL does not name. */
export function keepNames(mailbox: string, open: readonly string[]): void {
  const lists = namesOf(mailbox).filter((names) => names.some((name) => open.includes(name)));
  setNames(mailbox, lists);
}

const without = (lists: readonly string[][], name: string) => lists.filter((names) => !names.includes(name));

function namesOf(mailbox: string): string[][] {
  return JSON.parse(sessionStorage.getItem(NAMES_PREFIX + mailbox) ?? '[]') as string[][];
}

function setNames(mailbox: string, lists: readonly (readonly string[])[]): void {
  try {
    if (lists.length === 0) sessionStorage.removeItem(NAMES_PREFIX + mailbox);
    else sessionStorage.setItem(NAMES_PREFIX + mailbox, JSON.stringify(lists));
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
