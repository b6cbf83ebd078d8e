import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SharingCalls } from '../../../../account/calls.ts';
import { Members } from '../../../../account/members.tsx';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';

const sharingQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['sharing', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/members', { params: { path: { mailbox } }, signal })),
  });

export default function SharingPage() {
  const { mailbox, address } = useMailbox();
  const queries = useQueryClient();
  const path = { mailbox };
  const calls: SharingCalls = {
    share: (body) => dataOf(api.PUT('/mailboxes/{mailbox}/members', { params: { path }, body })),
    revoke: (member) =>
      dataOf(api.DELETE('/mailboxes/{mailbox}/members', { params: { path, query: { member } } })),
    settle: () => queries.invalidateQueries({ queryKey: sharingQuery(mailbox).queryKey }),
  };
  return (
    <>
      <PageHeader
        title="Sharing"
        description="Give other people access to your mailbox, with their own logins."
      />
      <div className="grid grid-cols-1 gap-4">
        <Members address={address} owner="You" sharing={useQuery(sharingQuery(mailbox))} calls={calls}>
          Members open your mailbox in the web client or a mail app. They cannot change its settings or
          passwords, or add other members.
        </Members>
      </div>
    </>
  );
}
