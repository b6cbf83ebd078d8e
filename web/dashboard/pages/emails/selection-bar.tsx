import { useState } from 'react';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { number } from '../../../ui/amounts.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { csvOf } from '../../../ui/csv.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { CloseIcon } from '../../../ui/icons.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useMay, useProject } from '../../shell/session.ts';
import type { useLog } from './use-log.ts';
import type { Selection } from './use-selection.ts';

/** The columns of the export of the service. */
const COLUMNS = ['id', 'created_at', 'status', 'from', 'to', 'subject', 'tags'] as const;

interface SelectionBarProps {
  selection: Selection;
  log: ReturnType<typeof useLog>;
}

/** The actions on the selected emails, in place of the column heads. On phones they are at the bottom of the window. */
export function SelectionBar({ selection, log }: SelectionBarProps) {
  const { emails, clear } = selection;
  const mayCancel = useMay('developer');
  const [isCancelling, setCancelling] = useState(false);
  const copy = (text: string, what: string) => {
    copyText(text).then(
      () => toast(`Copied ${what}.`),
      () => toastFailure('The browser blocked copying.'),
    );
  };
  const count = countText(emails.length);
  return (
    <div className="z-6 sm:sticky sm:top-13 sm:h-0">
      <div
        role="toolbar"
        aria-label="Selected emails"
        className="flex flex-wrap items-center gap-x-1 gap-y-2 bg-page max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-10 max-sm:border-t max-sm:border-line max-sm:p-2 max-sm:shadow-high sm:h-9 sm:pl-2"
      >
        <span role="status" className="mr-2 font-medium tabular-nums">
          {number(emails.length)} selected
        </span>
        <Button
          kind="quiet"
          onClick={() => copy(emails.map(({ id }) => id).join('\n'), `the ids of ${count}`)}
        >
          Copy ids
        </Button>
        <Button
          kind="quiet"
          onClick={() => copy(csvOf([COLUMNS, ...emails.map(log.currentOf).map(cellsOf)]), `${count} as CSV`)}
        >
          Copy as CSV
        </Button>
        {mayCancel && (
          <Button kind="quiet" onClick={() => setCancelling(true)}>
            Cancel emails
          </Button>
        )}
        <IconButton label="Clear selection" className="ml-auto" onClick={clear}>
          <CloseIcon />
        </IconButton>
      </div>
      {isCancelling && (
        <CancelDialog
          emails={emails}
          onClose={() => setCancelling(false)}
          onDone={() => {
            setCancelling(false);
            clear();
            // The poll covers only the newest emails.
            log.retry();
          }}
        />
      )}
    </div>
  );
}

function cellsOf(email: LoggedEmail): string[] {
  return COLUMNS.map((name) => {
    const value = email[name];
    return typeof value === 'string' ? value : value.join(', ');
  });
}

function countText(count: number): string {
  return count === 1 ? '1 email' : `${number(count)} emails`;
}

interface CancelDialogProps {
  emails: readonly LoggedEmail[];
  onClose(): void;
  onDone(): void;
}

function CancelDialog({ emails, onClose, onDone }: CancelDialogProps) {
  const { id: project } = useProject();
  /** How many emails are done; null before the start. */
  const [done, setDone] = useState<number | null>(null);
  const cancelAll = async () => {
    let cancelled = 0;
    const resultWords = () => `Cancelled ${number(cancelled)} of ${countText(emails.length)}.`;
    try {
      for (const [at, { id }] of emails.entries()) {
        setDone(at);
        if (await cancel(project, id)) cancelled++;
      }
      toast(
        cancelled === emails.length
          ? `Cancelled ${countText(cancelled)}.`
          : `${resultWords()} The others were already sent, or are being sent.`,
      );
    } catch (error) {
      toastFailure(`${resultWords()} ${messageOf(error)}`);
    }
    onDone();
  };
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Cancel ${countText(emails.length)}?`}
      action={
        done === null ? `Cancel ${countText(emails.length)}` : `${number(done)} of ${number(emails.length)}`
      }
      isBusy={done !== null}
      onConfirm={() => void cancelAll()}
    >
      <p>
        Recipients who have not received {emails.length === 1 ? 'it' : 'them'} yet will not get{' '}
        {emails.length === 1 ? 'it' : 'them'}. Copies already delivered stay.
      </p>
    </AlertDialog>
  );
}

/** @returns false if the email has been sent or is being sent, so that nothing could be cancelled */
async function cancel(project: string, id: string): Promise<boolean> {
  try {
    await dataOf(api.POST('/projects/{project}/emails/{id}/cancel', { params: { path: { project, id } } }));
    return true;
  } catch (error) {
    // `not-found`: the email was erased in the meantime.
    if (error instanceof ApiProblem && (error.status === 400 || error.slug === 'not-found')) return false;
    throw error;
  }
}
