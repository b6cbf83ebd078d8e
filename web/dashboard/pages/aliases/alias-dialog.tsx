import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardAlias } from '../../../../src/contract/dashboard/aliases.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import {
  AddressField,
  addressOf,
  type AddressDraft,
  useAddressDomains,
} from '../mailboxes/address-field.tsx';
import { allMailboxes } from '../mailboxes/queries.ts';
import { type Chosen, MailboxChoice } from './mailbox-choice.tsx';
import { allAliases } from './queries.ts';

interface AliasDialogProps {
  project: string;
  /** The alias to change, or null to create an alias. */
  alias: DashboardAlias | null;
  onClose(): void;
}

/** Creates an alias, or changes the mailboxes that an alias delivers to. */
export function AliasDialog({ project, alias, onClose }: AliasDialogProps) {
  const [address, setAddress] = useState<AddressDraft>({ localPart: '', domainId: '' });
  const [mailboxes, setMailboxes] = useState<readonly Chosen[]>(alias?.mailboxes ?? []);
  const domains = useAddressDomains(project);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => {
      const ids = { mailbox_ids: mailboxes.map(({ id }) => id) };
      return dataOf(
        alias === null
          ? api.POST('/projects/{project}/aliases', {
              params: { path: { project } },
              body: { ...addressOf(address, domains), ...ids },
            })
          : api.PATCH('/projects/{project}/aliases/{id}', {
              params: { path: { project, id: alias.id } },
              body: ids,
            }),
      );
    },
    async onSuccess(saved) {
      toast(alias === null ? `${saved.address} created` : `${saved.address} updated`);
      await queries.invalidateQueries({ queryKey: allAliases(project) });
      await queries.invalidateQueries({ queryKey: allMailboxes(project) });
      onClose();
    },
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => save.mutate()}
      title={alias === null ? 'Create alias' : `Mailboxes for ${alias.address}`}
      {...(alias === null && {
        description:
          'An additional address for one or more mailboxes. It has no login and stores no mail of its own.',
      })}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isPending}>
            {alias === null ? 'Create' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {alias === null && (
          <AddressField
            project={project}
            value={address}
            onChange={setAddress}
            errors={errors}
            placeholder="team"
          />
        )}
        <MailboxChoice
          project={project}
          value={mailboxes}
          onChange={setMailboxes}
          error={errors['mailbox_ids']}
        />
      </div>
    </Dialog>
  );
}
