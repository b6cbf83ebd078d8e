import { type DialogHTMLAttributes, type ReactNode, useLayoutEffect, useRef } from 'react';
import { classes } from './classes.ts';

export interface ModalProps extends Omit<DialogHTMLAttributes<HTMLDialogElement>, 'onClose' | 'open'> {
  /** Called on Esc or a click outside. */
  onClose(): void;
  /** Whether a click outside leaves the dialog open. */
  isSticky?: boolean;
  children: ReactNode;
}

const FIELDS = 'input:not([type=hidden]), select, textarea';

/**
 * The browser's modal dialog: it traps the focus, keeps the page behind it from scrolling, and restores the focus.
 * The first focus goes to `data-focus`, else to the first field, else to the title.
 */
export function Modal({ onClose, isSticky = false, className, children, ...rest }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    const first = ['[data-focus]', FIELDS, 'h2']
      .map((each) => current?.querySelector<HTMLElement>(each))
      .find(Boolean);
    first?.focus();
    // Close the dialog before it is removed, so that the browser restores the focus.
    return () => current?.close();
  }, []);
  return (
    // The native dialog handles keys, so the element needs no key handler.
    <dialog
      ref={dialog}
      {...rest}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      // The browser closes a native dialog on a second Esc in a row, even if the first Esc was prevented. So the
      // dialog is shown again, and the owner decides whether to remove it.
      onClose={() => {
        if (dialog.current?.open !== false) return;
        dialog.current.showModal();
        onClose();
      }}
      onPointerDown={(event) => {
        if (!isSticky && event.target === dialog.current) onClose();
      }}
      className={classes(
        'm-0 max-h-none max-w-none bg-raised p-0 text-text shadow-high outline-none backdrop:bg-veil',
        'transition-[opacity,translate] duration-150 ease-out starting:opacity-0',
        className,
      )}
    >
      {children}
    </dialog>
  );
}
