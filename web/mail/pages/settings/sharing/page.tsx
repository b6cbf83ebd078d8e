import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MailboxGrant } from '../../../../../src/contract/dashboard/sharing.ts';
import type { SharingCalls } from '../../../../account/calls.ts';
import { Members } from '../../../../account/members.tsx';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { buttonClass } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { accountsQuery, useMailbox } from '../../../shell/session.ts';

const sharingQuery = (mailbox: string) =>
  queryOptions({
    queryKey: ['sharing', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/members', { params: { path: { mailbox } }, signal })),
  });

export default function SharingPage() {
  const { mailbox, address } = useMailbox();
  const queries = useQueryClient();
  // A mailbox that was just shared can only be opened once it is in the list of accounts.
  useQuery({ ...accountsQuery, refetchOnMount: 'always' });
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
        <Members
          address={address}
          owner="You"
          sharing={useQuery(sharingQuery(mailbox))}
          calls={calls}
          linkTo={openLink}
        >
          Members open your mailbox in the web client or a mail app. They cannot change its settings or
          passwords, or add other members.
        </Members>
        <Programs mailbox={mailbox} />
      </div>
    </>
  );
}

/** Whether programs may read the mail. Only an admin can change it. */
function Programs({ mailbox }: { mailbox: string }) {
  const { data } = useQuery({
    queryKey: ['api-access', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/api-access', { params: { path: { mailbox } }, signal })),
  });
  if (data === undefined) return null;
  return (
    <Card title="Programs">
      <p className="text-muted">
        {data.api_access
          ? 'An admin allowed API access: programs of your organization can receive and read the mail of this mailbox.'
          : 'No program can read your mail through the API. Only an admin can allow it.'}
      </p>
    </Card>
  );
}

function openLink({ address }: MailboxGrant) {
  return (
    <Link to="/$address" params={{ address }} aria-label={`Open ${address}`} className={buttonClass()}>
      Open
    </Link>
  );
}
