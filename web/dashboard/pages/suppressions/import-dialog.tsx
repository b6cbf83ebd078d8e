import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { messageOf } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { importList, type Imported, NOTHING_IMPORTED, readList } from './import-file.ts';
import type { Reason } from './queries.ts';
import { ReasonField } from './reason-field.tsx';
import { number, counted } from '../../../ui/amounts.ts';

const MAX_NAMED = 100;

interface ImportDialogProps {
  project: string;
  onImported(): Promise<void>;
  onClose(): void;
}

export function ImportDialog({ project, onImported, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [reason, setReason] = useState<Reason>('unsubscribe');
  const [imported, setImported] = useState<Imported | null>(null);
  const stop = useRef(new AbortController());
  const run = useMutation({
    async mutationFn() {
      setFault(null);
      if (file === null) return setFault('Choose a file.');
      const list = await readList(file);
      if ('fault' in list) return setFault(list.fault);
      stop.current = new AbortController();
      setImported(NOTHING_IMPORTED);
      await importList(project, list.text, reason, {
        onProgress: setImported,
        signal: stop.current.signal,
      });
      return undefined;
    },
    onSettled: onImported,
  });
  const close = () => {
    stop.current.abort();
    onClose();
  };
  const isDone = imported !== null && !run.isPending;
  return (
    <Dialog
      isOpen
      onClose={close}
      isSticky={run.isPending}
      title="Import suppressions"
      width="wide"
      onSubmit={() => run.mutate()}
      actions={
        isDone ? (
          <Button kind="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close}>{run.isPending ? 'Stop' : 'Cancel'}</Button>
            <Button type="submit" kind="primary" isBusy={run.isPending}>
              Import
            </Button>
          </>
        )
      }
    >
      {imported === null ? (
        <div className="grid gap-4">
          <Field
            label="File"
            hint="One address per line, or CSV with a header row, such as an export from another service. Up to 100,000 lines."
            error={fault}
          >
            <Input
              type="file"
              accept=".csv,.tsv,.txt,text/csv,text/plain"
              className="cursor-pointer py-1.5 sm:py-1 file:mr-3 file:cursor-pointer file:rounded-sm file:bg-quiet-soft file:px-2 file:text-sm file:font-medium"
              onChange={(event) => setFile(event.target.files?.[0] ?? null)}
            />
          </Field>
          <ReasonField
            label="Reason"
            hint="For lines without their own reason."
            value={reason}
            onChange={setReason}
          />
        </div>
      ) : (
        <Result imported={imported} error={run.error} />
      )}
    </Dialog>
  );
}

function Result({ imported, error }: { imported: Imported; error: Error | null }) {
  const { added, known, refused, lines, share } = imported;
  const text = refused.map((each) => `${each.line}: ${each.text}`).join('\n');
  return (
    <div className="grid gap-4">
      {share < 1 && error === null && (
        <progress aria-label="Import progress" className="h-1.5 w-full accent-fill" max={1} value={share} />
      )}
      {error !== null && (
        <p role="alert" className="text-bad">
          The import stopped after line {number(lines)}: {messageOf(error)} You can import the file again:
          nothing is added twice.
        </p>
      )}
      <div role="status">
        <dl className="grid grid-cols-3 gap-4">
          <Count name="Added" value={added} />
          <Count name="Already listed" value={known} />
          <Count name="Invalid" value={refused.length} />
        </dl>
      </div>
      {refused.length > 0 && (
        <div>
          <div className="mb-1.5 flex items-center gap-1">
            <h3 className="font-medium">Skipped lines</h3>
            <Copy text={text} what="the lines" />
          </div>
          {/* The tab stop lets users scroll the list with the keyboard. */}
          <ol
            aria-label="Skipped lines"
            tabIndex={0}
            className="max-h-56 overflow-y-auto rounded-md border border-line bg-sunken text-sm"
          >
            {refused.slice(0, MAX_NAMED).map((each) => (
              <li key={each.line} className="flex gap-3 border-b border-line px-3 py-1.5 last:border-b-0">
                <span className="w-14 shrink-0 text-right text-muted tabular-nums">{number(each.line)}</span>
                <span className="min-w-0">
                  <span className="block font-mono wrap-anywhere">{each.text}</span>
                  <span className="block text-muted">{each.error}</span>
                </span>
              </li>
            ))}
          </ol>
          {refused.length > MAX_NAMED && (
            <p className="mt-1.5 text-sm text-muted">
              And {counted(refused.length - MAX_NAMED, 'line', 'lines')} more. Copy includes all of them.
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function Count({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-2xl font-semibold">{number(value)}</dd>
    </div>
  );
}
