import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { fieldErrors, messageOf } from '../../../api/client.ts';
import type { ProjectContents } from '../../../../src/contract/dashboard/projects.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { ContentsList } from './contents-list.tsx';

interface DeleteDialogProps {
  /** The kind of resource: "project" or "organization". */
  kind: string;
  name: string;
  id: string;
  /** Reads the contents, after the user has confirmed their identity. */
  readContents(signal: AbortSignal): Promise<ProjectContents>;
  /** The consequences of the deletion. */
  children: ReactNode;
  error: Error | null;
  isBusy: boolean;
  onDelete(name: string): void;
  onClose(): void;
}

/** Shows the data that will be lost. The user must type the name, so that a wrong click deletes nothing. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { kind, name, id, readContents, children, error, isBusy, onDelete, onClose } = props;
  const [typed, setTyped] = useState('');
  const lost = useId();
  const { data, error: unread } = useContents(id, readContents);
  return (
    <Dialog
      isOpen
      isSticky
      onClose={onClose}
      title={`Delete the ${kind} ${name}?`}
      onSubmit={() => {
        if (typed === name) onDelete(typed);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="danger"
            isBusy={isBusy}
            disabled={typed !== name}
            aria-describedby={lost}
          >
            Delete
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <div id={lost} className="grid gap-2 text-pretty text-muted">
          <p>This cannot be undone. It permanently deletes:</p>
          {data === undefined && unread === null && <SkeletonRows count={3} />}
          {unread !== null && <p className="text-bad">{messageOf(unread)}</p>}
          {data !== undefined && <ContentsList contents={data} />}
          {children}
        </div>
        <Field
          label={`Type “${name}” to confirm`}
          error={fieldErrors(error)['name'] ?? (error === null ? null : messageOf(error))}
        >
          <Input
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
      </div>
    </Dialog>
  );
}

export function useContents(id: string, read: (signal: AbortSignal) => Promise<ProjectContents>) {
  return useQuery({
    queryKey: ['contents', id],
    queryFn: ({ signal }) => read(signal),
    // The contents are never cached, because the user decides by these numbers.
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}
