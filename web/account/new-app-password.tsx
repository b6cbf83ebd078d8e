import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../ui/field.tsx';
import type { AppPasswordCalls } from './calls.ts';
import { PasswordShown } from './password-shown.tsx';

interface NewAppPasswordProps {
  address: string;
  calls: AppPasswordCalls;
  onClose(): void;
}

export function NewAppPassword({ address, calls, onClose }: NewAppPasswordProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<'everything' | 'read'>('everything');
  const create = useMutation({
    mutationFn: () => calls.create({ name: name.trim(), access }),
    onSuccess: () => calls.settle(),
  });
  const made = create.data;
  if (made !== undefined) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title={`Password for ${made.name}`}
        description={`The app signs in as ${address}. You can omit hyphens and spaces; case does not matter.`}
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
      isBusy={create.isPending}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      title="Create app password"
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
        <Field
          label="Name"
          hint="The app that will use this password."
          error={fieldErrors(create.error)['name']}
        >
          <Input
            required
            maxLength={100}
            autoComplete="off"
            placeholder="Phone"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <fieldset className="grid gap-2.5">
          <legend className="float-left mb-1 w-full font-medium">Access</legend>
          <Checkbox
            isRadio
            name="access"
            label="Full access"
            hint="Read, change and send."
            checked={access === 'everything'}
            onChange={() => setAccess('everything')}
          />
          <Checkbox
            isRadio
            name="access"
            label="Read"
            hint="Cannot change, delete or send mail."
            checked={access === 'read'}
            onChange={() => setAccess('read')}
          />
        </fieldset>
      </div>
    </Dialog>
  );
}
