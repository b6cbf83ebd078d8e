import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { useChange } from '../../../api/use-change.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input, Select } from '../../../ui/field.tsx';
import { responsesQuery } from './queries.ts';
import { useResponseMailboxes } from './response-mailboxes.ts';

interface SaveResponseDialogProps {
  html: string;
  subject: string;
  onClose(): void;
}

/** Saves the text of a message as a canned response. */
export function SaveResponseDialog({ html, subject, onClose }: SaveResponseDialogProps) {
  const mailboxes = useResponseMailboxes().filter(({ mayChange }) => mayChange);
  const [mailbox, setMailbox] = useState(mailboxes[0]?.mailbox ?? '');
  const [name, setName] = useState('');
  const [hasSubject, setHasSubject] = useState(false);
  const save = useChange(
    responsesQuery(mailbox).queryKey,
    () =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/canned-responses', {
          params: { path: { mailbox } },
          body: { name, html, subject: hasSubject ? subject : null },
        }),
      ),
    'Canned response saved',
  );
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      title="Save as canned response"
      description="The text of the message, without the signature and the quote."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field
          label="Name"
          error={errors['name'] ?? errors['html'] ?? (save.error === null ? null : messageOf(save.error))}
        >
          <Input
            data-focus
            dir="auto"
            maxLength={100}
            autoComplete="off"
            placeholder="Opening hours"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        {mailboxes.length > 1 && (
          <Field label="Mailbox" hint="All members of a shared mailbox can use its canned responses.">
            <Select value={mailbox} onChange={({ target }) => setMailbox(target.value)}>
              {mailboxes.map((each) => (
                <option key={each.mailbox} value={each.mailbox}>
                  {each.address}
                </option>
              ))}
            </Select>
          </Field>
        )}
        {subject !== '' && (
          <Checkbox
            label="Also save the subject"
            hint="It is used in messages without a subject."
            checked={hasSubject}
            onChange={({ target }) => setHasSubject(target.checked)}
          />
        )}
      </div>
    </Dialog>
  );
}
