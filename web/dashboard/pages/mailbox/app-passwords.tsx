import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { AppPassword } from '../../../api/schema.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { PasswordShown } from '../../../account/password-shown.tsx';
import { appPasswordsQuery, type MailboxKey } from '../mailboxes/queries.ts';

interface AppPasswordsProps {
  of: MailboxKey;
  address: string;
}

export function AppPasswords({ of: key, address }: AppPasswordsProps) {
  const isAdmin = useMay('admin');
  const { data, error } = useQuery(appPasswordsQuery(key));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<AppPassword | null>(null);
  const passwords = data?.data;
  return (
    <Card
      title="App passwords"
      aside={isAdmin && <Button onClick={() => setCreating(true)}>Create app password</Button>}
    >
      <p className="text-muted">
        For one mail app each, so that a lost phone is shut out alone. They never open the web client.
      </p>
      {error !== null && <p className="mt-2 text-bad">{messageOf(error)}</p>}
      {passwords === undefined && error === null && <SkeletonRows count={2} />}
      {passwords?.length === 0 && <p className="mt-2">There are none so far.</p>}
      <ul aria-label="App passwords" className="divide-y divide-line">
        {passwords?.map((password) => (
          <li key={password.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                {password.name}
                {password.access === 'read' && <Badge>Reads only</Badge>}
              </p>
              <p className="text-sm text-muted">
                Created <Time value={password.created_at} />, last used{' '}
                <Time value={password.last_used_at} never="never" />
              </p>
            </div>
            {isAdmin && (
              <Button
                kind="quiet"
                aria-label={`Revoke ${password.name}`}
                onClick={() => setRevoked(password)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isCreating && <CreateAppPassword of={key} address={address} onClose={() => setCreating(false)} />}
      {revoked !== null && <Revoke of={key} password={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

function CreateAppPassword({ of: key, address, onClose }: AppPasswordsProps & { onClose(): void }) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<'everything' | 'read'>('everything');
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/mailboxes/{id}/app-passwords', {
          params: { path: { ...key } },
          body: { name: name.trim(), access },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: appPasswordsQuery(key).queryKey }),
  });
  const made = create.data;
  if (made !== undefined) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title={`The password for ${made.name}`}
        description={`Its app signs in as ${address}. Hyphens, spaces and case do not matter.`}
        actions={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <PasswordShown password={made.password} label="App password" />
      </Dialog>
    );
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => create.mutate()}
      title="Create app password"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Name" hint="Which app it is for." error={fieldErrors(create.error)['name']}>
          <Input
            required
            maxLength={100}
            autoComplete="off"
            placeholder="Ann’s phone"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <fieldset className="grid gap-2.5">
          <legend className="float-left mb-1 w-full font-medium">Access</legend>
          <Checkbox
            isRadio
            name="access"
            label="Everything"
            hint="Read, change and send."
            checked={access === 'everything'}
            onChange={() => setAccess('everything')}
          />
          <Checkbox
            isRadio
            name="access"
            label="Read"
            hint="Changes nothing, deletes nothing, sends nothing."
            checked={access === 'read'}
            onChange={() => setAccess('read')}
          />
        </fieldset>
      </div>
    </Dialog>
  );
}

interface RevokeProps {
  of: MailboxKey;
  password: AppPassword;
  onClose(): void;
}

function Revoke({ of: key, password, onClose }: RevokeProps) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/app-passwords/{part}', {
          params: { path: { ...key, part: password.id } },
        }),
      ),
    onSuccess: () => toast(`${password.name} is revoked`),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: appPasswordsQuery(key).queryKey });
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${password.name}?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        The app that uses it is signed out within two seconds and cannot come back. It was last used{' '}
        <Time value={password.last_used_at} never="never" />.
      </p>
    </AlertDialog>
  );
}
