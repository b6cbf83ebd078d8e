import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { CreatedInvitation } from '../../../../src/contract/dashboard/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { invitationsQuery, type Role, useOrganization } from './queries.ts';
import { RoleFields } from './role-fields.tsx';

interface InviteDialogProps {
  onSent(invitation: CreatedInvitation): void;
  onClose(): void;
}

export function InviteDialog({ onSent, onClose }: InviteDialogProps) {
  const { id: organization, name } = useOrganization();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const [seesBodies, setSeesBodies] = useState(false);
  const invite = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/organizations/{organization}/invitations', {
          params: { path: { organization } },
          body: { email: email.trim(), role, ...(role === 'viewer' && { sees_bodies: seesBodies }) },
        }),
      ),
    onSuccess(invitation) {
      onSent(invitation);
      onClose();
      return queries.invalidateQueries({ queryKey: invitationsQuery(organization).queryKey });
    },
  });
  const errors = fieldErrors(invite.error);
  return (
    <Dialog
      isOpen
      isBusy={invite.isPending}
      onClose={onClose}
      title={`Invite to ${name}`}
      onSubmit={() => invite.mutate()}
      actions={
        <>
          <Button disabled={invite.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={invite.isPending}>
            Send invitation
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field
          label="Email"
          hint="The link works once, only for this address, and expires after seven days."
          error={errors['email']}
        >
          <Input
            type="email"
            autoComplete="off"
            placeholder="ann@acme.example"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <RoleFields
          role={role}
          seesBodies={seesBodies}
          onRole={setRole}
          onSeesBodies={setSeesBodies}
          error={errors['role']}
        />
      </div>
    </Dialog>
  );
}
