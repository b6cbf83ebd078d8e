import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { InvitationList } from '../../../../src/contract/dashboard/organizations.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { isAtLeast } from '../../shell/session.ts';
import { invitationsQuery, useOrganization } from './queries.ts';
import { nameOfRole } from './roles.ts';

type Invitation = InvitationList['data'][number];

/** Invitations that have not been accepted yet. */
export function Invitations() {
  const { id: organization, role } = useOrganization();
  const queries = useQueryClient();
  const { data } = useQuery(invitationsQuery(organization));
  const [invitationToWithdraw, setInvitationToWithdraw] = useState<Invitation | null>(null);
  const [invitationToConfirm, setInvitationToConfirm] = useState<Invitation | null>(null);
  const withdraw = useMutation({
    mutationFn: ({ id }: Invitation) =>
      dataOf(
        api.DELETE('/organizations/{organization}/invitations/{id}', {
          params: { path: { organization, id } },
        }),
      ),
    onSuccess: (_, { email }) => toast(`Invitation to ${email} withdrawn`),
    async onSettled() {
      setInvitationToWithdraw(null);
      await queries.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey });
    },
  });
  const confirm = useMutation({
    mutationFn: ({ id }: Invitation) =>
      dataOf(
        api.POST('/organizations/{organization}/invitations/{id}/confirmation', {
          params: { path: { organization, id } },
        }),
      ),
    onSuccess: (_, { email }) => toast(`Invitation to ${email} confirmed`),
    async onSettled() {
      setInvitationToConfirm(null);
      await queries.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey });
    },
  });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section aria-label="Invitations" className="mt-10">
      <h2 className="mb-2 text-lg">Invitations</h2>
      <Table
        label="Invitations"
        head={
          <>
            <Th>Email</Th>
            <Th>Role</Th>
            <Th isWideOnly>Invited by</Th>
            <Th isWideOnly>Expires</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </>
        }
      >
        {data.data.map((invitation) => (
          <Row key={invitation.id}>
            <Td className="max-w-80 font-medium">
              <Address>{invitation.email}</Address>
              {invitation.awaits_confirmation && (
                <p className="mt-1">
                  <Badge tone="warn">Needs owner confirmation</Badge>
                </p>
              )}
            </Td>
            <Td>{nameOfRole(invitation.role)}</Td>
            <Td isWideOnly>{invitation.invited_by}</Td>
            <Td isWideOnly>
              <Time value={invitation.expires_at} />
            </Td>
            <Td isNumeric>
              {invitation.awaits_confirmation && role === 'owner' && (
                <Button
                  aria-label={`Confirm the invitation to ${invitation.email}`}
                  onClick={() => setInvitationToConfirm(invitation)}
                >
                  Confirm
                </Button>
              )}
              {isAtLeast(role, invitation.role) && (
                <Button
                  kind="quiet"
                  aria-label={`Withdraw the invitation to ${invitation.email}`}
                  onClick={() => setInvitationToWithdraw(invitation)}
                >
                  Withdraw
                </Button>
              )}
            </Td>
          </Row>
        ))}
      </Table>
      <AlertDialog
        isOpen={invitationToWithdraw !== null}
        onClose={() => setInvitationToWithdraw(null)}
        title={`Withdraw the invitation to ${invitationToWithdraw?.email ?? ''}?`}
        action="Withdraw"
        isBusy={withdraw.isPending}
        onConfirm={() => invitationToWithdraw !== null && withdraw.mutate(invitationToWithdraw)}
      >
        <p>The link will stop working immediately. You can invite the address again.</p>
      </AlertDialog>
      <AlertDialog
        isOpen={invitationToConfirm !== null}
        onClose={() => setInvitationToConfirm(null)}
        title={`Confirm the invitation to ${invitationToConfirm?.email ?? ''}?`}
        action="Confirm"
        isBusy={confirm.isPending}
        onConfirm={() => invitationToConfirm !== null && confirm.mutate(invitationToConfirm)}
      >
        <p>
          The mailbox of this address is on this server, where people of another organization or with a lower
          role can read it. Confirm only if {invitationToConfirm?.invited_by} gives the link to the owner in
          person. After that the link works.
        </p>
      </AlertDialog>
    </section>
  );
}
