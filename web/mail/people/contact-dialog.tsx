import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { Contact } from '../../../src/contract/mail/contacts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { refreshPeople } from './queries.ts';

interface ContactDialogProps {
  mailbox: string;
  /** The values to begin with. */
  contact: Pick<Contact, 'id' | 'name' | 'note' | 'addresses'>;
  onClose(): void;
  /** Called with the first address of the saved contact. */
  onSaved?(address: string): void;
}

/** Adds or edits a contact. If another contact has one of the addresses, the dialog offers to merge the two. */
export default function ContactDialog({ mailbox, contact, onClose, onSaved }: ContactDialogProps) {
  const [name, setName] = useState(contact.name ?? '');
  const [addresses, setAddresses] = useState(contact.addresses.join('\n'));
  const [note, setNote] = useState(contact.note);
  const save = useMutation({
    mutationFn: (merge: boolean) => {
      const body = { name: name.trim() || null, note, addresses: linesOf(addresses), merge };
      const { id } = contact;
      return id === null
        ? dataOf(api.POST('/mailboxes/{mailbox}/contacts', { params: { path: { mailbox } }, body }))
        : dataOf(api.PUT('/mailboxes/{mailbox}/contacts/{id}', { params: { path: { mailbox, id } }, body }));
    },
    async onSuccess(saved) {
      await refreshPeople(mailbox);
      toast('Contact saved');
      onClose();
      onSaved?.(saved.addresses[0] ?? '');
    },
  });
  const errors = fieldErrors(save.error);
  const isTaken = save.error instanceof ApiProblem && save.error.slug === 'already-exists';
  const isEmpty = linesOf(addresses).length === 0;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={contact.id === null ? 'Add contact' : 'Edit contact'}
      isBusy={save.isPending}
      onSubmit={() => {
        if (!isEmpty) save.mutate(isTaken);
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={isEmpty} isBusy={save.isPending}>
            {isTaken ? 'Merge contacts' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="Name" error={errors['name']}>
          <Input dir="auto" maxLength={256} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field
          label="Addresses"
          hint="Write each address on its own line. The first address is used when you write to this person."
          error={errors['addresses']}
        >
          <Textarea
            rows={3}
            dir="auto"
            inputMode="email"
            autoCapitalize="none"
            spellCheck={false}
            value={addresses}
            onChange={(event) => {
              setAddresses(event.target.value);
              save.reset();
            }}
          />
        </Field>
        <Field label="Note" error={errors['note']}>
          <Textarea
            rows={3}
            dir="auto"
            maxLength={4_000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Field>
        <div role="alert" className="text-sm text-bad">
          {isTaken &&
            'Another contact has one of these addresses. Merge the contacts to keep all addresses here.'}
          {save.error !== null && !isTaken && Object.keys(errors).length === 0 && messageOf(save.error)}
        </div>
      </div>
    </Dialog>
  );
}

function linesOf(text: string): string[] {
  return text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
