import { type ReactNode, useId } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { CloseIcon } from './icons.tsx';
import { Modal } from './modal.tsx';

/** The position of a dialog. On phones dialogs slide in from the bottom. */
const POSITION =
  'fixed inset-x-0 top-auto bottom-0 w-full rounded-t-lg sm:top-[12vh] sm:bottom-auto sm:mx-auto sm:w-[calc(100vw-2rem)] sm:rounded-lg starting:translate-y-2';
const COLUMN = 'flex max-h-[calc(100dvh-2rem)] flex-col sm:max-h-[76vh]';
const ACTIONS = 'flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3';

export interface DialogProps {
  isOpen: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, with the confirming button last. */
  actions?: ReactNode;
  width?: 'narrow' | 'wide';
  /** Whether a click outside leaves the dialog open, because the content of the dialog is shown only once. */
  isSticky?: boolean;
  /**
   * Whether the form was submitted and the response is pending. A busy dialog can be neither closed nor submitted
   * again, so that the user sees a secret in the response.
   */
  isBusy?: boolean;
  /** Called on submit, by a submit button among the actions or by Enter. If absent, the dialog has no form. */
  onSubmit?: () => void;
}

/** A dialog above the page. Esc or a click outside closes the dialog. */
export function Dialog({ isOpen, ...rest }: DialogProps) {
  return isOpen ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
  onClose,
  title,
  description,
  children,
  actions,
  width,
  isSticky = false,
  isBusy = false,
  onSubmit,
}: Omit<DialogProps, 'isOpen'>) {
  const id = useId();
  const close = () => {
    if (!isBusy) onClose();
  };
  const content = (
    <>
      <div className="flex items-start gap-3 px-5 pt-4">
        <div className="min-w-0 flex-1">
          <h2 id={`${id}-title`} tabIndex={-1} className="text-lg outline-none">
            {title}
          </h2>
          {description !== undefined && (
            <p id={`${id}-description`} className="mt-1 text-pretty text-muted">
              {description}
            </p>
          )}
        </div>
        <IconButton label="Close" className="-mt-0.5 -mr-2" disabled={isBusy} onClick={close}>
          <CloseIcon />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
      {actions !== undefined && <div className={ACTIONS}>{actions}</div>}
    </>
  );
  return (
    <Modal
      onClose={close}
      isSticky={isSticky}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
      className={classes(POSITION, width === 'wide' ? 'sm:max-w-2xl' : 'sm:max-w-md')}
      // In a text of several lines, Enter begins a line. The click does nothing while the button is disabled.
      onKeyDown={({ key, ctrlKey, metaKey, target }) => {
        if (key === 'Enter' && (ctrlKey || metaKey) && target instanceof HTMLTextAreaElement)
          target.form?.querySelector<HTMLElement>('[type=submit]')?.click();
      }}
    >
      {onSubmit === undefined ? (
        <div className={COLUMN}>{content}</div>
      ) : (
        <form
          noValidate
          className={COLUMN}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy) onSubmit();
          }}
        >
          {content}
        </form>
      )}
    </Modal>
  );
}

export interface AlertDialogProps {
  isOpen: boolean;
  onClose(): void;
  /** A question, such as "Revoke the key ci?". */
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** The verb on the button, such as "Revoke". */
  action: string;
  onConfirm(): void;
  /** Whether the response is pending. A busy dialog cannot be closed. */
  isBusy?: boolean;
  /** Whether the action runs, and `onConfirm` stops it. The dialog cannot be closed. */
  isRunning?: boolean;
}

/** A dialog that asks before a destructive action. A click outside leaves the dialog open, and Cancel has the focus. */
export function AlertDialog({ isOpen, ...rest }: AlertDialogProps) {
  return isOpen ? <OpenAlertDialog {...rest} /> : null;
}

function OpenAlertDialog({
  onClose,
  title,
  children,
  action,
  onConfirm,
  isBusy = false,
  isRunning = false,
}: Omit<AlertDialogProps, 'isOpen'>) {
  const id = useId();
  const mustStay = isBusy || isRunning;
  const close = () => {
    if (!mustStay) onClose();
  };
  return (
    <Modal
      role="alertdialog"
      onClose={close}
      isSticky
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-description`}
      className={classes(POSITION, 'sm:max-w-md')}
    >
      <div className={COLUMN}>
        <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
          <h2 id={`${id}-title`} className="text-lg">
            {title}
          </h2>
          <div id={`${id}-description`} className="mt-1.5 grid gap-2 text-pretty text-muted">
            {children}
          </div>
        </div>
        <div className={ACTIONS}>
          <Button data-focus disabled={mustStay} onClick={close}>
            Cancel
          </Button>
          <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
