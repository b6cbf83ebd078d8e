import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Contact } from '../../../../src/contract/mail/contacts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { peopleQuery, refreshPeople } from '../../people/queries.ts';
import { shownAddress, shownName } from '../../reading/people.ts';
import { useMailbox } from '../../shell/session.ts';

const SHOWN = 8;
const MAX_NOTE = 4_000;

interface MergeDialogProps {
  contact: Contact;
  onClose(): void;
  /** Called with the first address of the merged contact. */
  onMerged(address: string): void;
}

/** Adds the addresses and the note of another person to a contact. */
export default function MergeDialog({ contact, onClose, onMerged }: MergeDialogProps) {
  const { mailbox } = useMailbox();
  const [q, setQ] = useState('');
  const { data } = useInfiniteQuery({ ...peopleQuery(mailbox, q), placeholderData: keepPreviousData });
  const merge = useMutation({
    mutationFn(other: Contact) {
      const body = {
        name: contact.name ?? other.name,
        note: [contact.note, other.note]
          .filter((note) => note !== '')
          .join('\n')
          .slice(0, MAX_NOTE),
        addresses: [...new Set([...contact.addresses, ...other.addresses])],
        merge: true,
      };
      const id = contact.id ?? other.id;
      return id === null
        ? dataOf(api.POST('/mailboxes/{mailbox}/contacts', { params: { path: { mailbox } }, body }))
        : dataOf(api.PUT('/mailboxes/{mailbox}/contacts/{id}', { params: { path: { mailbox, id } }, body }));
    },
    async onSuccess(merged) {
      await refreshPeople(mailbox);
      toast('Contacts merged');
      onClose();
      onMerged(merged.addresses[0] ?? '');
    },
  });
  const [first = ''] = contact.addresses;
  const others = (data?.pages[0]?.data ?? [])
    .filter((other) => !other.addresses.some((address) => contact.addresses.includes(address)))
    .slice(0, SHOWN);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={merge.isPending}
      title="Merge contacts"
      description={`Choose the person whose addresses also belong to ${shownName({ name: contact.name, address: first })}.`}
    >
      <div className="grid gap-3">
        <SearchField
          label="Search people"
          placeholder="Search people"
          hasKey={false}
          maxLength={100}
          value={q}
          onSearch={setQ}
        />
        <ul aria-label="People">
          {others.map((other) => (
            <li key={other.addresses[0]}>
              <button
                type="button"
                disabled={merge.isPending}
                onClick={() => merge.mutate(other)}
                className="w-full rounded-md px-2.5 py-1.5 text-start hover:bg-hover"
              >
                <bdi className="block truncate font-medium">
                  {shownName({ name: other.name, address: other.addresses[0] ?? '' })}
                </bdi>
                <bdi className="block truncate text-sm text-muted">
                  {other.addresses.map(shownAddress).join(', ')}
                </bdi>
              </button>
            </li>
          ))}
        </ul>
        <p role="alert" className="text-sm text-bad">
          {merge.error !== null && messageOf(merge.error)}
        </p>
      </div>
    </Dialog>
  );
}
