import { useEffect, useRef, useState } from 'react';
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
  const { emails, last, clear } = selection;
  const lastRow = useRef(last);
  useEffect(() => {
    lastRow.current = last;
  });
  // If the focus was lost with the bar or its dialog, continue at the row toggled last.
  useEffect(
    () => () => {
      if (document.activeElement === document.body)
        document
          .querySelector<HTMLElement>(`[data-email-row] a[href*="/${lastRow.current}"]`)
          ?.focus({ preventScroll: true });
    },
    [],
  );
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
        <span className="mr-2 font-medium tabular-nums">{number(emails.length)} selected</span>
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
          refresh={log.refresh}
          onDone={(done) => {
            setCancelling(false);
            selection.remove(done);
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
  refresh(id: string): Promise<void>;
  onClose(): void;
  /** @param done the ids of the emails that need no further attempt */
  onDone(done: ReadonlySet<string>): void;
}

function CancelDialog({ emails, refresh, onClose, onDone }: CancelDialogProps) {
  const { id: project } = useProject();
  /** How many emails are done; null before the start. */
  const [done, setDone] = useState<number | null>(null);
  const stop = useRef<AbortController>(null);
  const [isStopping, setStopping] = useState(false);
  // Without the page, the user could not stop it.
  useEffect(() => () => stop.current?.abort(), []);
  const cancelAll = async () => {
    const { signal } = (stop.current = new AbortController());
    const tried = new Set<string>();
    let cancelled = 0;
    let failure: unknown;
    for (const { id } of emails) {
      if (signal.aborted) break;
      setDone(tried.size);
      try {
        if (await cancel(project, id)) cancelled++;
      } catch (error) {
        failure = error;
        break;
      }
      tried.add(id);
      // Without the current state, the row shows its earlier state until the list is loaded again.
      await refresh(id).catch(() => undefined);
    }
    const words = resultWords(cancelled, tried.size, emails.length);
    if (failure === undefined) toast(words);
    else toastFailure(`${words} ${messageOf(failure)}`);
    onDone(tried);
  };
  const confirm = () => {
    if (done === null) void cancelAll();
    else {
      stop.current?.abort();
      setStopping(true);
    }
  };
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Cancel ${countText(emails.length)}?`}
      action={done === null ? `Cancel ${countText(emails.length)}` : 'Stop'}
      isBusy={isStopping}
      isRunning={done !== null}
      onConfirm={confirm}
    >
      <p>
        Recipients who have not received {emails.length === 1 ? 'it' : 'them'} yet will not get{' '}
        {emails.length === 1 ? 'it' : 'them'}. Copies already delivered stay.
      </p>
      <p role="status" className="text-text tabular-nums">
        {done !== null && `${number(done)} of ${countText(emails.length)} done.`}
      </p>
    </AlertDialog>
  );
}

/** @param tried how many of all the emails were tried; nothing could be cancelled for some of them */
function resultWords(cancelled: number, tried: number, all: number): string {
  const others = tried - cancelled;
  const sentences = [`Cancelled what was left of ${countText(cancelled)}.`];
  if (cancelled === 0) sentences.pop();
  if (others > 0)
    sentences.push(
      `Nothing could be cancelled for ${cancelled > 0 ? `the other ${number(others)}` : countText(others)}: open ${others === 1 ? 'it' : 'them'} to see why.`,
    );
  if (tried < all) sentences.push(`${countText(all - tried)} not tried, still selected.`);
  return sentences.join(' ');
}

/** @returns false if nothing could be cancelled */
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
