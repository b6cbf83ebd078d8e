import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors, messageOf } from '../api/client.ts';
import { makePasskey } from '../api/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { AlertDialog, Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import { toast, toastFailure } from '../ui/toast.tsx';
import { type AccountFactors, useFactorCalls } from './calls.ts';

type Passkey = AccountFactors['passkeys'][number];

export interface PasskeysProps {
  passkeys: readonly Passkey[];
  onCodes(codes: readonly string[]): void;
}

export function Passkeys({ passkeys, onCodes }: PasskeysProps) {
  const { startPasskey, addPasskey, renamePasskey, removePasskey, settle } = useFactorCalls();
  const [adding, setAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey | null>(null);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  const add = useMutation({
    meta: { showsErrors: true },
    async mutationFn(name: string) {
      return addPasskey({ name, ...(await makePasskey(await startPasskey())) });
    },
    async onSuccess({ recovery_codes: codes }) {
      setAdding(false);
      toast('Passkey added');
      if (codes !== null) onCodes(codes);
      await settle();
    },
  });
  const rename = useMutation({
    meta: { showsErrors: true },
    mutationFn: ({ id, name }: Pick<Passkey, 'id' | 'name'>) => renamePasskey(id, name),
    async onSuccess() {
      setRenaming(null);
      await settle();
    },
  });
  const remove = useMutation({
    meta: { showsErrors: true },
    mutationFn: removePasskey,
    onSuccess: () => toast('Passkey removed'),
    onError: (error) => toastFailure(fieldErrors(error)['id'] ?? messageOf(error)),
    async onSettled() {
      setRemoving(null);
      await settle();
    },
  });
  return (
    <Card title="Passkeys" aside={<Button onClick={() => setAdding(true)}>Add passkey</Button>}>
      <p className="text-pretty text-muted">
        Sign in with your phone, your computer or a security key instead of a password. A passkey protects
        your account even if your password is stolen.
      </p>
      {passkeys.length > 0 && (
        <ul className="mt-3 divide-y divide-line border-t border-line" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
              <div className="min-w-0 flex-1 basis-52">
                <p className="font-medium wrap-anywhere">{passkey.name}</p>
                <p className="text-sm text-muted">
                  Added <Time value={passkey.created_at} />, last used{' '}
                  <Time value={passkey.last_used_at} never="never" />
                </p>
              </div>
              <Button kind="quiet" aria-label={`Rename ${passkey.name}`} onClick={() => setRenaming(passkey)}>
                Rename
              </Button>
              <Button kind="quiet" aria-label={`Remove ${passkey.name}`} onClick={() => setRemoving(passkey)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {adding && (
        <NameDialog
          title="Add passkey"
          action="Add"
          first=""
          error={add.error}
          isBusy={add.isPending}
          onName={add.mutate}
          onClose={() => {
            add.reset();
            setAdding(false);
          }}
        />
      )}
      {renaming !== null && (
        <NameDialog
          title={`Rename ${renaming.name}`}
          action="Rename"
          first={renaming.name}
          error={rename.error}
          isBusy={rename.isPending}
          onName={(name) => rename.mutate({ id: renaming.id, name })}
          onClose={() => setRenaming(null)}
        />
      )}
      <AlertDialog
        isOpen={removing !== null}
        onClose={() => setRemoving(null)}
        title={`Remove passkey ${removing?.name}?`}
        action="Remove"
        isBusy={remove.isPending}
        onConfirm={() => removing !== null && remove.mutate(removing.id)}
      >
        <p>
          You can no longer sign in with this passkey. Delete it on your device, too: the device is not
          notified.
        </p>
      </AlertDialog>
    </Card>
  );
}

interface NameDialogProps {
  title: string;
  action: string;
  first: string;
  error: Error | null;
  isBusy: boolean;
  onName(name: string): void;
  onClose(): void;
}

function NameDialog({ title, action, first, error, isBusy, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(first);
  const errors = fieldErrors(error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      onSubmit={() => onName(name)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <Field
        label="Name"
        hint="A name for the device."
        error={error && (errors['name'] ?? errors['response'] ?? messageOf(error))}
      >
        <Input
          maxLength={100}
          autoComplete="off"
          placeholder="Phone"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
