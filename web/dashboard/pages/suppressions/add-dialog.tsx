import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { Reason } from './queries.ts';
import { ReasonField } from './reason-field.tsx';
import { counted } from '../../../ui/amounts.ts';

interface AddDialogProps {
  project: string;
  onAdded(): Promise<void>;
  onClose(): void;
}

export function AddDialog({ project, onAdded, onClose }: AddDialogProps) {
  const [text, setText] = useState('');
  const [reason, setReason] = useState<Reason>('manual');
  const [date, setDate] = useState('');
  const addresses = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const add = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/suppressions', {
          params: { path: { project } },
          body: { addresses, reason, ...(date !== '' && { expires_at: endOf(date) }) },
        }),
      ),
    async onSuccess({ data, added }) {
      const known = data.length - added;
      const words = `${counted(added, 'address', 'addresses')} added`;
      toast(known === 0 ? words : `${words}, ${known} already listed`);
      onClose();
      await onAdded();
    },
  });
  const errors = fieldErrors(add.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add addresses"
      onSubmit={() => add.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field
          label="Addresses"
          hint="One per line, up to 1,000. Import a file for longer lists."
          error={inWords(errors['addresses'], addresses)}
        >
          <Textarea
            required
            rows={4}
            placeholder="ann@acme.example"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <ReasonField label="Reason" value={reason} onChange={setReason} />
        <Field
          label="Expires"
          hint="The last day of the suppression. Leave empty for no expiry date."
          error={errors['expires_at']}
        >
          <Input type="date" value={date} onChange={(event) => setDate(event.target.value)} />
        </Field>
      </div>
    </Dialog>
  );
}

/** The end of a day in local time. */
function endOf(date: string): string {
  return new Date(`${date}T23:59:59.999`).toISOString();
}

/** Replaces the index in an error message with the address. */
function inWords(error: string | undefined, addresses: readonly string[]): string | undefined {
  if (addresses.length === 0 && error !== undefined) return 'Enter an address such as ann@acme.example.';
  return error?.replace(/^addresses\[(\d+)\]/, (whole, at: string) => addresses[Number(at)] ?? whole);
}
