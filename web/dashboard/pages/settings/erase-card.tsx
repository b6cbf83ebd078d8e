import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { ErasedStep } from '../../../../src/contract/dashboard/projects.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { toast } from '../../../ui/toast.tsx';
import { useProject } from '../../shell/session.ts';

/** Erases all mentions of a person from the stored data about emails. */
export function EraseCard() {
  const [open, setOpen] = useSearchParam('open');
  return (
    <Card title="Erase a person">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-72 text-pretty text-muted">
          Erases emails to an address and its entries in the directory and the audit log. Mail in mailboxes
          belongs to their owners and stays.
        </p>
        <Button onClick={() => setOpen('erase')}>Erase a person</Button>
      </div>
      {open === 'erase' && <EraseDialog onClose={() => setOpen('')} />}
    </Card>
  );
}

type Counts = Omit<ErasedStep, 'next'>;

const NOTHING: Counts = {
  emails_deleted: 0,
  emails_redacted: 0,
  recipients_cancelled: 0,
  people_deleted: 0,
  suppressions_deleted: 0,
  suppressions_kept: 0,
};

function EraseDialog({ onClose }: { onClose(): void }) {
  const { id: project } = useProject();
  const queries = useQueryClient();
  const [address, setAddress] = useState('');
  const [suppressions, setSuppressions] = useState(false);
  const [done, setDone] = useState<Counts>(NOTHING);
  const erase = useMutation({
    async mutationFn() {
      let sum = NOTHING;
      for (let after: string | null = ''; after !== null; ) {
        const step: ErasedStep = await dataOf(
          api.POST('/projects/{project}/erasures', {
            params: { path: { project } },
            body: { address: address.trim(), suppressions, ...(after !== '' && { after }) },
          }),
        );
        sum = plus(sum, step);
        setDone(sum);
        after = step.next;
      }
      return sum;
    },
    meta: { showsErrors: true },
    onSuccess(sum) {
      toast(`Erased: ${described(sum)}.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const fault = fieldErrors(erase.error)['address'];
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Erase a person"
      description="This cannot be undone."
      onSubmit={() => erase.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={erase.isPending} disabled={address.trim() === ''}>
            Erase
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <Field label="Address" error={fault} hint="Upper and lower case are treated the same.">
          <Input
            type="email"
            inputMode="email"
            autoComplete="off"
            placeholder="ann@acme.example"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
        <ul className="grid list-disc gap-1 pl-5 text-pretty text-muted">
          <li>
            Emails sent only to this person are deleted, including their timelines. Queued emails are not
            sent.
          </li>
          <li>Emails with other recipients stay, but their content and the address are removed.</li>
          <li>The directory entry is deleted, and the address is removed from the audit log.</li>
        </ul>
        <Checkbox
          label="Also remove the address from the suppression list"
          hint="Without the entry, mail can be sent to this address again. Usually, the person does not want that."
          checked={suppressions}
          onChange={(event) => setSuppressions(event.target.checked)}
        />
        <p role="status" className="text-sm text-muted empty:hidden">
          {erase.isPending && `Erased so far: ${described(done)}.`}
        </p>
        {erase.error !== null && fault === undefined && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(erase.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function plus(one: Counts, other: Counts): Counts {
  return {
    emails_deleted: one.emails_deleted + other.emails_deleted,
    emails_redacted: one.emails_redacted + other.emails_redacted,
    recipients_cancelled: one.recipients_cancelled + other.recipients_cancelled,
    people_deleted: one.people_deleted + other.people_deleted,
    suppressions_deleted: one.suppressions_deleted + other.suppressions_deleted,
    suppressions_kept: one.suppressions_kept + other.suppressions_kept,
  };
}

function described(counts: Counts): string {
  const emails = counts.emails_deleted + counts.emails_redacted;
  return [
    `${number(emails)} ${emails === 1 ? 'email' : 'emails'}`,
    ...(counts.people_deleted > 0 ? ['the directory entry'] : []),
    ...(counts.suppressions_deleted > 0 ? ['the suppression list entry'] : []),
  ].join(', ');
}
