import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Input } from '../../../ui/field.tsx';
import { CheckIcon, PlusIcon } from '../../../ui/icons.tsx';
import { toastFailure } from '../../../ui/toast.tsx';
import { useMailbox } from '../../shell/session.ts';
import type { TriageQuestion } from '../triage.ts';
import { LabelDot } from './chip.tsx';
import { labelsQuery } from './queries.ts';

const MAX_SHOWN = 50;
const MAX_NAME = 60;

interface LabelDialogProps {
  question: Extract<TriageQuestion, { kind: 'label' }>;
  onClose(): void;
}

/** Adds a label to conversations or removes it. The user types a part of its name, or the name of a new label. */
export default function LabelDialog({ question: { rows, onChoose }, onClose }: LabelDialogProps) {
  const id = useId();
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const query = labelsQuery(mailbox);
  const { data: labels = [] } = useQuery(query);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const name = typed.trim();
  const found = labels
    .filter((label) => label.name.toLowerCase().includes(name.toLowerCase()))
    .slice(0, MAX_SHOWN);
  const isNew = name !== '' && labels.every((label) => label.name.toLowerCase() !== name.toLowerCase());
  const count = found.length + (isNew ? 1 : 0);
  const isOnAll = (keyword: string) => rows.length > 0 && rows.every((row) => row.labels?.includes(keyword));
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/labels', {
          params: { path: { mailbox } },
          body: { name, color: null },
        }),
      ),
    onSuccess(label) {
      void queries.invalidateQueries({ queryKey: query.queryKey });
      onClose();
      onChoose(label, true);
    },
    onError: (error) => toastFailure(messageOf(error)),
  });
  const choose = (index: number) => {
    const label = found[index];
    if (label === undefined) {
      if (isNew && !create.isPending) create.mutate();
      return;
    }
    onClose();
    onChoose(label, !isOnAll(label.keyword));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    const next = (at + step + count) % count;
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const option = (index: number) => ({
    id: `${id}-${index}`,
    role: 'option',
    tabIndex: -1,
    'aria-selected': index === at,
    onPointerMove: () => setAt(index),
    onClick: () => choose(index),
    onKeyDown: undefined,
    className: classes(
      'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 sm:min-h-8',
      index === at && 'bg-hover',
    ),
  });
  return (
    <Dialog isOpen onClose={onClose} title="Label" onSubmit={() => choose(at)}>
      <Input
        role="combobox"
        aria-label="Label"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={count > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        dir="auto"
        maxLength={MAX_NAME}
        placeholder="Search or create labels"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Labels" className="mt-2 max-h-72 overflow-y-auto">
        {found.map((label, index) => (
          // The text field has the focus and handles the keys.
          <div key={label.keyword} {...option(index)}>
            <LabelDot color={label.color} className="size-2.5" />
            <bdi className="min-w-0 flex-1 truncate">{label.name}</bdi>
            {isOnAll(label.keyword) && (
              <>
                <CheckIcon className="text-accent" />
                <span className="sr-only">Added. Choose it to remove it.</span>
              </>
            )}
          </div>
        ))}
        {isNew && (
          <div {...option(found.length)}>
            <PlusIcon className="text-muted" />
            <span className="min-w-0 flex-1 truncate" dir="auto">
              Create “{name}”
            </span>
          </div>
        )}
      </div>
      <p role="status" className="text-muted">
        {count === 0 && 'There are no labels yet. Type the name of a new label.'}
      </p>
    </Dialog>
  );
}
