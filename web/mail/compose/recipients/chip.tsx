import type { KeyboardEvent } from 'react';
import { classes } from '../../../ui/classes.ts';
import { CloseIcon, WarningIcon } from '../../../ui/icons.tsx';
import type { Recipient } from './parse-addresses.ts';

export interface RecipientChipProps {
  recipient: Recipient;
  isBad: boolean;
  onRemove(): void;
  onEdit(): void;
  /** Moves the focus to the previous (-1) or next (1) recipient. */
  onStep(by: -1 | 1): void;
  onDrag(transfer: DataTransfer): void;
  /** Called when the recipient is dropped on another field. */
  onDragged(): void;
}

/** One recipient of a message. Enter edits the address, Delete removes it. */
export function RecipientChip(props: RecipientChipProps) {
  const { recipient, isBad, onRemove, onEdit, onStep, onDrag, onDragged } = props;
  const { name, address } = recipient;
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = {
      Backspace: onRemove,
      Delete: onRemove,
      Enter: onEdit,
      ArrowLeft: () => onStep(-1),
      ArrowRight: () => onStep(1),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <span
      draggable
      onDragStart={({ dataTransfer }) => onDrag(dataTransfer)}
      onDragEnd={({ dataTransfer }) => {
        if (dataTransfer.dropEffect === 'move') onDragged();
      }}
      className={classes(
        'inline-flex h-7 max-w-full items-center rounded-full sm:h-6',
        isBad ? 'bg-bad-soft text-bad' : 'bg-quiet-soft text-text',
      )}
    >
      <button
        type="button"
        data-chip
        tabIndex={-1}
        title={name === '' ? address : `${name} <${address}>`}
        aria-label={`${name === '' ? address : `${name}, ${address}`}${isBad ? ', not a valid email address' : ''}`}
        onKeyDown={onKeyDown}
        onDoubleClick={onEdit}
        className="flex min-w-0 items-center gap-1 rounded-full pl-2.5 focus-visible:outline-offset-0"
      >
        {isBad && <WarningIcon className="size-3.5" />}
        <span dir="auto" className="truncate">
          {name === '' ? address : name}
        </span>
      </button>
      {/* The button is for the mouse. Keyboard users press Delete. */}
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Remove ${address}`}
        onClick={onRemove}
        className="grid size-7 shrink-0 place-items-center rounded-full text-muted hover:text-text sm:size-6"
      >
        <CloseIcon className="size-3" />
      </button>
    </span>
  );
}
