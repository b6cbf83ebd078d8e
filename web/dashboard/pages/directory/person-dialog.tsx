import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Person } from '../../../../src/contract/directory.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../../ui/field.tsx';
import { toastFailure } from '../../../ui/toast.tsx';

interface PersonDialogProps {
  project: string;
  /** The person to change, or null to add a person. */
  person: Person | null;
  onSaved(): Promise<void>;
  onClose(): void;
}

export function PersonDialog({ project, person, onSaved, onClose }: PersonDialogProps) {
  const [name, setName] = useState(person?.name ?? '');
  const [email, setEmail] = useState(person?.email ?? '');
  const [title, setTitle] = useState(person?.title ?? '');
  const [organization, setOrganization] = useState(person?.organization ?? '');
  const [notes, setNotes] = useState(person?.notes ?? '');
  const save = useMutation({
    mutationFn() {
      const body = { name: name.trim(), email: email.trim(), title, organization, notes };
      return person === null
        ? dataOf(
            api.POST('/projects/{project}/directory', {
              params: { path: { project } },
              body: withoutEmpty(body),
            }),
          )
        : dataOf(
            api.PATCH('/projects/{project}/directory/{id}', {
              params: { path: { project, id: person.id } },
              body,
            }),
          );
    },
    async onSuccess() {
      onClose();
      await onSaved();
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) toastFailure(messageOf(error));
    },
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={person === null ? 'Add person' : `Edit ${person.name}`}
      onSubmit={() => save.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            {person === null ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="Name" error={errors['name']}>
          <Input
            required
            maxLength={200}
            autoComplete="off"
            placeholder="Ada Lovelace"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Address" error={errors['email']}>
          <Input
            required
            maxLength={998}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="ada@acme.example"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Title" error={errors['title']}>
            <Input maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
          </Field>
          <Field label="Organization" error={errors['organization']}>
            <Input
              maxLength={200}
              value={organization}
              onChange={(event) => setOrganization(event.target.value)}
            />
          </Field>
        </div>
        <Field label="Notes" error={errors['notes']}>
          <Textarea maxLength={2_000} value={notes} onChange={(event) => setNotes(event.target.value)} />
        </Field>
      </div>
    </Dialog>
  );
}

function withoutEmpty({
  name,
  email,
  ...optional
}: Record<'name' | 'email' | 'title' | 'organization' | 'notes', string>) {
  const given = Object.fromEntries(Object.entries(optional).filter(([, text]) => text !== ''));
  return { name, email, ...given };
}
