/**
 * What the service has not got yet, in this tab: a reload loses nothing. It goes when it is saved, when the tab is closed, and at
 * sign-out.
 */
import type { Composition } from './composition.ts';

const PREFIX = 'posthorn-draft:';

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
  return copiesOf(mailbox).find((each) => each.place === place || each.id === place) ?? null;
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
