import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SharingCalls } from '../../../account/calls.ts';
import { Members } from '../../../account/members.tsx';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { useMay } from '../../shell/session.ts';
import { sharingQuery } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';

/** The members of the mailbox, and the mailboxes shared with its owner. */
export default function Sharing({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  const queries = useQueryClient();
  const path = { ...key };
  const calls: SharingCalls = {
    share: (body) =>
      dataOf(api.PUT('/projects/{project}/mailboxes/{id}/members', { params: { path }, body })),
    revoke: (member) =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/members', { params: { path, query: { member } } }),
      ),
    settle: () => queries.invalidateQueries({ queryKey: sharingQuery(key).queryKey }),
  };
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
      <Members
        address={mailbox.address}
        owner={`The owner of ${mailbox.address}`}
        sharing={useQuery(sharingQuery(key))}
        calls={isAdmin ? calls : null}
      >
        {mailbox.is_shared
          ? 'This mailbox has no login of its own. Members open it in the web client or a mail app, with their own logins.'
          : 'Members open this mailbox in the web client or a mail app, with their own logins.'}
      </Members>
    </div>
  );
}
