import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { MailLabel } from '../../../../../src/contract/mail/labels.ts';
import { counted } from '../../../../ui/amounts.ts';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { PenIcon, PlusIcon, TrashIcon } from '../../../../ui/icons.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { LabelIcon } from '../../../../ui/triage-icons.tsx';
import { Loaded } from '../../../../shell/loaded.tsx';
import { LabelDot } from '../../../reading/labels/chip.tsx';
import { labelsQuery } from '../../../reading/labels/queries.ts';
import { useMailbox } from '../../../shell/session.ts';
import { LabelForm } from './label-form.tsx';

export default function LabelsPage() {
  const { mailbox } = useMailbox();
  const found = useQuery(labelsQuery(mailbox));
  /** `new`, or the label that is being changed. */
  const [edited, setEdited] = useState<MailLabel | 'new' | null>(null);
  const [deleted, setDeleted] = useState<MailLabel | null>(null);
  const create = (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setEdited('new')}>
      Create label
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Labels"
        description="A conversation can have several labels. Mail apps show labels as keywords or tags."
        actions={found.data?.length === 0 ? null : create}
      />
      <Loaded query={found}>
        {(labels) =>
          labels.length === 0 ? (
            <EmptyState icon={<LabelIcon />} title="No labels yet" action={create}>
              Labels that you create, and tags that mail apps set, are listed here.
            </EmptyState>
          ) : (
            <ul aria-label="Labels" className="divide-y divide-line rounded-lg border border-line">
              {labels.map((label) => (
                <li key={label.keyword} className="flex min-h-11 items-center gap-2.5 ps-4 pe-2">
                  <LabelDot color={label.color} className="size-2.5" />
                  <bdi className="min-w-0 flex-1 wrap-anywhere">{label.name}</bdi>
                  <span className="text-sm whitespace-nowrap text-muted tabular-nums max-sm:hidden">
                    {label.unread > 0 && counted(label.unread, 'unread message')}
                  </span>
                  <span className="flex">
                    <IconButton label={`Change ${label.name}`} onClick={() => setEdited(label)}>
                      <PenIcon />
                    </IconButton>
                    <IconButton label={`Delete ${label.name}`} onClick={() => setDeleted(label)}>
                      <TrashIcon />
                    </IconButton>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited !== null && (
        <LabelForm label={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
      {deleted !== null && <DeleteLabel label={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function DeleteLabel({ label: { keyword, name }, onClose }: { label: MailLabel; onClose(): void }) {
  const { mailbox } = useMailbox();
  const remove = useChange(
    labelsQuery(mailbox).queryKey,
    async () => {
      const params = { path: { mailbox } };
      // Each request removes the label from some thousand messages.
      for (let isComplete = false; !isComplete; )
        ({ is_complete: isComplete } = await dataOf(
          api.POST('/mailboxes/{mailbox}/labels/remove', { params, body: { keyword } }),
        ));
    },
    `${name} deleted`,
  );
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete the label ${name}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      <p>It is removed from all messages, also in mail apps. The messages stay.</p>
    </AlertDialog>
  );
}
