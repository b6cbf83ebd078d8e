import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { MailboxGrant, MailboxSharing, ShareMailbox } from '../../src/contract/dashboard/sharing.ts';
import { fieldErrors, messageOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { AlertDialog, Dialog } from '../ui/dialog.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import type { SharingCalls } from './calls.ts';

const ACCESS = { read: 'Read only', write: 'Read and change' } as const;
const SENDING = { none: 'Not allowed', 'on-behalf': 'On behalf', as: 'As the mailbox' } as const;

interface MembersProps {
  address: string;
  /** The owner of the mailbox, as the subject of a sentence. */
  owner: string;
  sharing: { data: MailboxSharing | undefined; error: Error | null };
  /** Null if the lists are read-only. */
  calls: SharingCalls | null;
  /** A link that opens a mailbox shared with the owner. Absent where mailboxes cannot be opened. */
  linkTo?: (grant: MailboxGrant) => ReactNode;
  /** The text that explains members. */
  children: ReactNode;
}

/** The members of a mailbox and the mailboxes shared with its owner, for the owner and the administrators. */
export function Members({
  address,
  owner,
  sharing: { data, error },
  calls,
  linkTo = () => null,
  children,
}: MembersProps) {
  const [edited, setEdited] = useState<MailboxGrant | 'new' | null>(null);
  const [revoked, setRevoked] = useState<MailboxGrant | null>(null);
  return (
    <>
      <Card
        title="Members"
        aside={calls !== null && <Button onClick={() => setEdited('new')}>Add member</Button>}
      >
        <p className="text-pretty text-muted">{children}</p>
        {error !== null && <p className="mt-2 text-bad">{messageOf(error)}</p>}
        {data === undefined && error === null && <SkeletonRows count={2} />}
        {data?.data.length === 0 && <p className="mt-2">No members yet.</p>}
        <GrantList label="Members" grants={data?.data}>
          {(grant) =>
            calls !== null && (
              <div className="flex gap-1">
                <Button
                  kind="quiet"
                  aria-label={`Change rights of ${grant.address}`}
                  onClick={() => setEdited(grant)}
                >
                  Change
                </Button>
                <Button
                  kind="quiet"
                  aria-label={`Revoke access of ${grant.address}`}
                  onClick={() => setRevoked(grant)}
                >
                  Revoke
                </Button>
              </div>
            )
          }
        </GrantList>
      </Card>
      {(data?.shared_with_it.length ?? 0) > 0 && (
        <Card title="Shared mailboxes">
          <p className="text-pretty text-muted">
            {owner} can open these mailboxes in the web client, and in a mail app in the folder{' '}
            <em>Shared</em>.
          </p>
          <GrantList label="Shared mailboxes" grants={data?.shared_with_it}>
            {linkTo}
          </GrantList>
        </Card>
      )}
      {edited !== null && calls !== null && (
        <EditGrant
          address={address}
          grant={edited === 'new' ? null : edited}
          calls={calls}
          onClose={() => setEdited(null)}
        />
      )}
      {revoked !== null && calls !== null && (
        <Revoke address={address} member={revoked.address} calls={calls} onClose={() => setRevoked(null)} />
      )}
    </>
  );
}

interface GrantListProps {
  label: string;
  grants: readonly MailboxGrant[] | undefined;
  /** The buttons of a grant. */
  children(grant: MailboxGrant): ReactNode;
}

function GrantList({ label, grants, children }: GrantListProps) {
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {grants?.map((grant) => (
        <li key={grant.mailbox_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
          <div className="min-w-0 flex-1 basis-48">
            <p className="font-medium wrap-anywhere">{grant.address}</p>
            <p className="text-sm text-muted">
              {ACCESS[grant.access]}
              {grant.sending !== 'none' && `, sends ${SENDING[grant.sending].toLowerCase()}`}, since{' '}
              <Time value={grant.granted_at} />
            </p>
          </div>
          {children(grant)}
        </li>
      ))}
    </ul>
  );
}

interface EditGrantProps {
  address: string;
  /** Null to add a member. */
  grant: MailboxGrant | null;
  calls: SharingCalls;
  onClose(): void;
}

function EditGrant({ address, grant, calls, onClose }: EditGrantProps) {
  const [rights, setRights] = useState<ShareMailbox>({
    member: grant?.address ?? '',
    access: grant?.access ?? 'read',
    sending: grant?.sending ?? 'none',
  });
  const change = (changes: Partial<ShareMailbox>) => setRights({ ...rights, ...changes });
  const share = useMutation({
    mutationFn: () => calls.share({ ...rights, member: rights.member.trim() }),
    async onSuccess() {
      await calls.settle();
      onClose();
    },
  });
  const errors = fieldErrors(share.error);
  return (
    <Dialog
      isOpen
      isBusy={share.isPending}
      onClose={onClose}
      onSubmit={() => share.mutate()}
      title={grant === null ? 'Add member' : 'Change rights'}
      description={`The member opens ${address} with their own login.`}
      actions={
        <>
          <Button disabled={share.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={share.isPending}>
            {grant === null ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Field label="Member" hint="The address of a mailbox of the same project." error={errors['member']}>
          <Input
            required
            type="email"
            autoComplete="off"
            readOnly={grant !== null}
            value={rights.member}
            onChange={({ target }) => change({ member: target.value })}
          />
        </Field>
        <Field label="Access" error={errors['access']}>
          <Select
            value={rights.access}
            onChange={({ target }) => change({ access: target.value as ShareMailbox['access'] })}
          >
            {Object.entries(ACCESS).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label="Sending"
          hint="On behalf: recipients also see the address of the member."
          error={errors['sending']}
        >
          <Select
            value={rights.sending}
            onChange={({ target }) => change({ sending: target.value as ShareMailbox['sending'] })}
          >
            {Object.entries(SENDING).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Dialog>
  );
}

interface RevokeProps {
  address: string;
  member: string;
  calls: SharingCalls;
  onClose(): void;
}

function Revoke({ address, member, calls, onClose }: RevokeProps) {
  const revoke = useMutation({
    mutationFn: () => calls.revoke(member),
    onSuccess: () => toast(`Access of ${member} revoked`),
    onSettled: async () => {
      await calls.settle();
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title="Revoke access?"
      action="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        {member} can no longer open {address}, and mail apps that have it open are disconnected within two
        seconds.
      </p>
    </AlertDialog>
  );
}
