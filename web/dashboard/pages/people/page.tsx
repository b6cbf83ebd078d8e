import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import type { CreatedInvitation, Member } from '../../../../src/contract/dashboard/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type MemberAction, MemberTable } from './member-table.tsx';
import { membersQuery, useMayInOrganization, useOrganization } from './queries.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { ResetLinkDialog } from './reset-link-dialog.tsx';
import { SentInvitation } from './sent-invitation.tsx';
import { SessionsDialog } from './sessions-dialog.tsx';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { MemberDialogProps } from './member-dialog.ts';

const DIALOGS = {
  change: ChangeDialog,
  sessions: SessionsDialog,
  'second-factor': SecondFactorDialog,
  'reset-link': ResetLinkDialog,
  remove: RemoveDialog,
} as const;

export default function PeoplePage() {
  const organization = useOrganization();
  const mayChange = useMayInOrganization('admin');
  const queries = useQueryClient();
  const [invites, setInvites] = useSearchParam('invite');
  const [sent, setSent] = useState<CreatedInvitation | null>(null);
  const [pendingAction, setPendingAction] = useState<{ what: MemberAction; member: Member } | null>(null);
  const { data, error, refetch } = useQuery(membersQuery(organization.id));
  const PendingDialog = pendingAction === null ? null : DIALOGS[pendingAction.what];
  const reload = () => queries.invalidateQueries({ queryKey: ['members', organization.id] });
  return (
    <>
      <PageHeader
        title="People"
        description={`Members of “${organization.name}” and their roles.`}
        actions={
          mayChange && (
            <Button kind="primary" icon={<PlusIcon />} onClick={() => setInvites('yes')}>
              Invite
            </Button>
          )
        }
      />
      {sent !== null && invites === '' && (
        <SentInvitation key={sent.id} sent={sent} onDone={() => setSent(null)} />
      )}
      {data === undefined && <NotLoaded title="Could not load the members" error={error} refetch={refetch} />}
      {data !== undefined && (
        <MemberTable members={data.data} onAsk={(what, member) => setPendingAction({ what, member })} />
      )}
      {mayChange && <Invitations />}
      {invites !== '' && mayChange && <InviteDialog onSent={setSent} onClose={() => setInvites('')} />}
      {pendingAction !== null && PendingDialog !== null && (
        <PendingDialog
          member={pendingAction.member}
          onChanged={reload}
          onClose={() => setPendingAction(null)}
        />
      )}
    </>
  );
}

function SecondFactorDialog({ member, onChanged, onClose }: MemberDialogProps) {
  const { id: organization } = useOrganization();
  const reset = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/organizations/{organization}/users/{id}/second-factor', {
          params: { path: { organization, id: member.user_id } },
        }),
      ),
    async onSuccess() {
      await onChanged();
      toast(`${member.name}’s second factor turned off`);
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Turn off ${member.name}’s second factor?`}
      action="Turn off"
      isBusy={reset.isPending}
      onConfirm={() => reset.mutate()}
    >
      <p>
        The authenticator app, passkeys and recovery codes of {member.email} stop working. Until they set up a
        new second factor, the password alone gives access to the account.
      </p>
      <p>
        Make sure that the request really comes from {member.name}: call them. They are notified by email, and
        the change is recorded in the audit log.
      </p>
    </AlertDialog>
  );
}
