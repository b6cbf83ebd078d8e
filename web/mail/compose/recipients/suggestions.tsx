import { useLayoutEffect, useRef } from 'react';
import { classes } from '../../../ui/classes.ts';
import { positionPopup } from '../../../ui/position-popup.ts';
import type { Recipient } from './parse-addresses.ts';

export interface SuggestionsProps {
  /** The id of the field. The ids of the list and its options begin with this id. */
  id: string;
  anchor(): Element | null | undefined;
  isShown: boolean;
  found: readonly Recipient[];
  /** The index of the selected suggestion; -1 if no suggestion is selected. */
  active: number;
  onPick(recipient: Recipient): void;
}

/** Suggested recipients below the field. The focus stays in the field. */
export function Suggestions({ id, anchor, isShown, found, active, onPick }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const at = anchor();
    const { current } = list;
    if (!isShown || at === null || at === undefined || current === null) return;
    current.showPopover();
    positionPopup(current, at, { align: 'start', side: 'bottom' });
    return () => current.hidePopover();
  });
  return (
    <div
      ref={list}
      id={`${id}-list`}
      popover="manual"
      role="listbox"
      aria-label="Suggestions"
      className="fixed inset-auto m-0 max-h-80 w-88 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-1 text-text shadow-high"
    >
      {isShown &&
        found.map((recipient, at) => (
          <div
            key={recipient.address}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            // Without this, the field would lose the focus and accept the typed text before the click.
            onPointerDown={(event) => {
              event.preventDefault();
              onPick(recipient);
            }}
            className={classes(
              'cursor-pointer rounded-md px-2.5 py-1.5',
              at === active ? 'bg-selected' : 'hover:bg-hover',
            )}
          >
            <div dir="auto" className="truncate font-medium">
              {recipient.name === '' ? recipient.address : recipient.name}
            </div>
            {recipient.name !== '' && <div className="truncate text-sm text-muted">{recipient.address}</div>}
          </div>
        ))}
    </div>
  );
}
