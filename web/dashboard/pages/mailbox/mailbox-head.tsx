import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { ChevronLeftIcon, TrashIcon } from '../../../ui/icons.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { bytes, counted } from '../../../ui/amounts.ts';
import { allMailboxes, allOfMailbox } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';
import { SetPassword } from './set-password.tsx';

export const BACK = (
  <Link to="/mailboxes" className={backLink}>
    <ChevronLeftIcon />
    Mailboxes
  </Link>
);

export function MailboxHead({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  const [isOpen, setOpen] = useState<'password' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const { address, sending_lock: lock, is_catch_all: isCatchAll } = mailbox;
  return (
    <>
      <PageHeader
        back={BACK}
        title={address}
        status={
          <>
            <Copy text={address} what="the address" className="-mx-2" />
            {lock === null ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Sending locked</Badge>}
            {isCatchAll && <Badge>Catch-all</Badge>}
            {mailbox.is_shared && <Badge>Shared</Badge>}
          </>
        }
        actions={
          isAdmin && (
            <>
              <Button kind="quiet" icon={<TrashIcon />} onClick={() => setOpen('delete')}>
                Delete
              </Button>
              {!mailbox.is_shared && <Button onClick={() => setOpen('password')}>Set password</Button>}
            </>
          )
        }
      />
      {isOpen === 'password' && <SetPassword of={key} mailbox={mailbox} onClose={close} />}
      <DeleteMailbox of={key} mailbox={mailbox} isOpen={isOpen === 'delete'} onClose={close} />
    </>
  );
}

interface DeleteProps extends MailboxPartProps {
  isOpen: boolean;
  onClose(): void;
}

function DeleteMailbox({ of: key, mailbox, isOpen, onClose }: DeleteProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/mailboxes/{id}', { params: { path: { ...key } } })),
    async onSuccess() {
      toast(`${mailbox.address} deleted`);
      await navigate({ to: '/mailboxes' });
      queries.removeQueries({ queryKey: allOfMailbox(key) });
      await queries.invalidateQueries({ queryKey: allMailboxes(key.project) });
      await queries.invalidateQueries({ queryKey: ['aliases', key.project] });
    },
    onSettled: onClose,
  });
  const { address, messages, octets, aliases, only_mailbox_of: alone } = mailbox;
  return (
    <AlertDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${address}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {messages === 0
          ? 'It has no messages. Its rules, passwords'
          : `All its mail is deleted: ${counted(messages, 'message')}, ${bytes(octets)}. Its rules, passwords`}{' '}
        and its directory entry are deleted, too. This cannot be undone.
      </p>
      <p>Mail to the address is rejected from now on, and mail apps are signed out within two seconds.</p>
      {aliases.length > 0 && (
        <p>
          {alone === 0
            ? `${counted(aliases.length, 'alias', 'aliases')} will then deliver only to other mailboxes.`
            : `${counted(alone, 'alias that delivers only to this mailbox is', 'aliases that deliver only to this mailbox are')} deleted, too.`}
        </p>
      )}
    </AlertDialog>
  );
}
