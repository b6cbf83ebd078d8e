import type { DraftWarning } from '../../../../src/contract/mail/drafts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';

export interface WarningDialogProps {
  warnings: readonly DraftWarning[];
  onSend(): void;
  /** Replaces a mistyped address. @param address the address that the user probably meant */
  onCorrect(address: string): void;
  onClose(): void;
}

/** Shows all warnings about a message, and asks once whether to send it. */
export function WarningDialog({ warnings, onSend, onCorrect, onClose }: WarningDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Send anyway?"
      actions={
        <>
          <Button data-focus onClick={onClose}>
            Keep editing
          </Button>
          <Button kind="primary" onClick={onSend}>
            Send anyway
          </Button>
        </>
      }
    >
      <ul className="grid gap-3">
        {warnings.map(({ kind, text, suggestion }) => (
          <li key={`${kind} ${text}`} className="flex gap-2.5">
            <WarningIcon className="mt-[3px] text-warn" />
            <div className="min-w-0">
              {text}
              {suggestion !== null && (
                <Button className="mt-1.5 max-w-full" onClick={() => onCorrect(suggestion)}>
                  <span className="truncate">Use {suggestion}</span>
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
