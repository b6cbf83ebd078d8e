import { useState } from 'react';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { useChange } from '../../../../api/use-change.ts';
import type { Identities, Identity } from '../../../../../src/contract/mail/identities.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { PenIcon, PlusIcon, TrashIcon } from '../../../../ui/icons.tsx';
import { identitiesQuery } from '../../../compose/queries.ts';
import { useMailbox } from '../../../shell/session.ts';
import { IdentityDialog } from './identity-dialog.tsx';

/** The identities of the mailbox: names, signatures and other defaults of its addresses. */
export function IdentityList({ identities }: { identities: Identities }) {
  /** `new`, or the identity that is being changed. */
  const [edited, setEdited] = useState<Identity | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Identity | null>(null);
  // The main identity is listed once, though it is used for all addresses without their own.
  const own = identities.data.filter(
    ({ id, is_own: isOwn }, at, all) => isOwn && all.findIndex((each) => each.id === id) === at,
  );
  const addresses = [
    ...new Set(identities.data.flatMap(({ is_own: isOwn, address }) => (isOwn ? [address] : []))),
  ];
  return (
    <Card
      title="Identities"
      aside={
        <Button icon={<PlusIcon />} onClick={() => setEdited('new')}>
          Add identity
        </Button>
      }
    >
      <p className="mb-3 max-w-2xl text-muted">
        An identity is a name, a signature and a Reply-To for one of your addresses. Replies are sent from the
        address that the message was sent to.
      </p>
      <ul aria-label="Identities" className="divide-y divide-line">
        {own.map((identity) => {
          const { id, name, address, is_default: isDefault, is_main: isMain } = identity;
          const shown = name === null ? address : `${name} <${address}>`;
          return (
            <li key={id} className="flex min-h-11 items-center gap-2 py-1">
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block wrap-anywhere font-medium">
                  {name ?? address}
                </span>
                {name !== null && <span className="block wrap-anywhere text-sm text-muted">{address}</span>}
              </span>
              {isDefault && <Badge>Default</Badge>}
              <span className="flex">
                <IconButton label={`Edit ${shown}`} onClick={() => setEdited(identity)}>
                  <PenIcon />
                </IconButton>
                {!isMain && (
                  <IconButton label={`Delete ${shown}`} onClick={() => setDeleted(identity)}>
                    <TrashIcon />
                  </IconButton>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {edited !== null && (
        <IdentityDialog
          identity={edited === 'new' ? null : edited}
          addresses={addresses}
          mailboxReplyTo={identities.reply_to}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted !== null && <DeleteIdentity identity={deleted} onClose={() => setDeleted(null)} />}
    </Card>
  );
}

function DeleteIdentity({ identity, onClose }: { identity: Identity; onClose(): void }) {
  const { mailbox } = useMailbox();
  const remove = useChange(
    identitiesQuery(mailbox).queryKey,
    () =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/identities/{id}', {
          params: { path: { mailbox, id: identity.id } },
        }),
      ),
    'Identity deleted',
  );
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Delete the identity ${identity.name ?? identity.address}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      Drafts and scheduled messages of this identity are sent with the default identity of their address.
    </AlertDialog>
  );
}
