import { useEffect, useRef } from 'react';
import type { Listing } from '../../reading/use-listing.ts';

/** A step that waits longer than this for its row is dropped, because the user has probably moved on. */
const PATIENCE_MS = 10_000;

interface StepOptions {
  listing: Listing;
  /** The id of the open conversation. */
  openId: string | undefined;
  /** Opens the conversation at an index. */
  open(index: number): void;
  /** Scrolls the list to an index, so that its row is fetched. */
  scrollTo(index: number): void;
}

/** Steps that are carried out once the list and the target row are loaded. */
interface Waiting {
  from: string;
  by: number;
  until: number;
}

/**
 * Moves from the open conversation to another conversation of the list. While the list or the target row is loading,
 * steps are added up and carried out after loading. If steps follow each other faster than conversations render, each
 * step starts from the conversation that is opening.
 * @returns a function that moves by a number of rows, up if negative. The function returns false if no conversation is open
 */
export function useStep({ listing, openId, open, scrollTo }: StepOptions): (by: number) => boolean {
  const { rows, isPending, error } = listing;
  const waiting = useRef<Waiting | null>(null);
  const opening = useRef<{ from: string; to: string } | null>(null);

  const step = (by: number, until = performance.now() + PATIENCE_MS): boolean => {
    if (openId === undefined) return false;
    const from = opening.current?.from === openId ? opening.current.to : openId;
    const all = by + (waiting.current?.from === from ? waiting.current.by : 0);
    waiting.current = null;
    if (isPending) {
      waiting.current = { from, by: all, until };
      return true;
    }
    const at = rows.indexOf(from);
    const to = Math.max(0, Math.min(rows.count - 1, at + all));
    if (rows.count === 0 || to === at) return rows.count > 0;
    const row = rows.at(to);
    if (row === undefined) {
      waiting.current = { from, by: all, until };
      scrollTo(to);
    } else {
      opening.current = { from: openId, to: row.id };
      open(to);
    }
    return true;
  };

  // The effect runs after each render, and the page renders whenever rows arrive.
  useEffect(() => {
    if (opening.current !== null && opening.current.from !== openId) opening.current = null;
    const { current } = waiting;
    if (current === null) return;
    const isMeant = current.from === (opening.current?.to ?? openId);
    if (!isMeant || error !== null || performance.now() > current.until) waiting.current = null;
    else step(0, current.until);
  });
  return step;
}
