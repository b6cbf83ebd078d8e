import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { AddressField, addressOf, type AddressDraft, useAddressDomains } from './address-field.tsx';
import { type ChosenPassword, PasswordChoice } from './password-choice.tsx';
import { PasswordShown } from '../../../account/password-shown.tsx';
import { allMailboxes } from './queries.ts';
import { sessionQuery } from '../../shell/session.ts';

/** Creates a mailbox. If the password was generated, shows the password before the mailbox. */
export function CreateMailbox({ project, onClose }: { project: string; onClose(): void }) {
  const [address, setAddress] = useState<AddressDraft>({ localPart: '', domainId: '' });
  const [name, setName] = useState('');
  const [quota, setQuota] = useState('1024');
  const [password, setPassword] = useState<ChosenPassword>(null);
  const [isShared, setShared] = useState(false);
  const domains = useAddressDomains(project);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/mailboxes/$id', params: { id } });
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/mailboxes', {
          params: { path: { project } },
          body: {
            ...addressOf(address, domains),
            quota_mb: Number(quota),
            ...(name.trim() !== '' && { display_name: name.trim() }),
            ...(isShared ? { is_shared: true } : password !== null && { password }),
          },
        }),
      ),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: allMailboxes(project) });
      // The first mailbox adds pages to the menu.
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      if (made.password === undefined) open(made.id);
    },
  });
  const made = create.data;
  if (made?.password !== undefined) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title={`${made.address} created`}
        description="Give the password to the owner, who signs in with the full address."
        actions={
          <>
            <Button onClick={onClose}>Done</Button>
            <Button kind="primary" onClick={() => open(made.id)}>
              Open mailbox
            </Button>
          </>
        }
      >
        <PasswordShown password={made.password} />
      </Dialog>
    );
  }
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      isOpen
      isBusy={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      title="Create mailbox"
      description="An address that receives mail, for one person or a team."
      actions={
        <>
          <Button disabled={create.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <AddressField
          project={project}
          value={address}
          onChange={setAddress}
          errors={errors}
          placeholder="support"
        />
        <Field label="Name" hint="Shown to recipients next to the address." error={errors['display_name']}>
          <Input
            autoComplete="off"
            maxLength={256}
            placeholder="Acme support"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Quota in MB" error={errors['quota_mb']}>
          <Input
            type="number"
            inputMode="numeric"
            min={1}
            value={quota}
            onChange={(event) => setQuota(event.target.value)}
          />
        </Field>
        <Checkbox
          label="Shared mailbox"
          hint="Has no sign-in of its own. Add members later, who open it with their own logins."
          checked={isShared}
          onChange={({ target }) => setShared(target.checked)}
        />
        {!isShared && <PasswordChoice value={password} onChange={setPassword} error={errors['password']} />}
      </div>
    </Dialog>
  );
}
