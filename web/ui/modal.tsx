import { type DialogHTMLAttributes, type ReactNode, useLayoutEffect, useRef } from 'react';
import { classes } from './classes.ts';

export interface ModalProps extends Omit<DialogHTMLAttributes<HTMLDialogElement>, 'onClose' | 'open'> {
  /** Esc, or a press beside it. */
  onClose(): void;
  /** A press beside it changes nothing. */
  isSticky?: boolean;
  children: ReactNode;
}

const FIELDS = 'input:not([type=hidden]), select, textarea';

/**
 * The browser's own modal dialog: it holds the focus, keeps the page behind it still and gives the focus back. The focus begins at
 * `data-focus`, else in the first field, else at the title.
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
    // Before it goes, so that the focus goes back to where it came from.
    return () => current?.close();
  }, []);
  return (
    // The browser's dialog hears keys by itself.
    <dialog
      ref={dialog}
      {...rest}
      onCancel={(event) => {
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
      // A second Esc in a row closes it whatever is said above. Whether it goes is for whoever shows it: until then it is there.
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
