import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useLayoutEffect, useState } from 'react';
import type { MailPerson } from '../../../src/contract/mail/conversations.ts';
import { lazyPart } from '../../shell/code.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { PenIcon, PlusIcon, SearchIcon, UserIcon } from '../../ui/icons.tsx';
import { SEARCH } from '../reading/folders.ts';
import { shownAddress, shownName } from '../reading/people.ts';
import { useCompose } from '../shell/compose.ts';
import { useMailbox } from '../shell/session.ts';
import { mailWith, personQuery } from './queries.ts';

const ContactDialog = lazyPart(() => import('./contact-dialog.tsx'));

interface PersonCardProps {
  person: MailPerson;
  /** Called when the card has its final size. */
  onResize(): void;
  onClose(): void;
}

/** The name and address of a person, and what the mailbox can do with them. */
export default function PersonCard({ person, onResize, onClose }: PersonCardProps) {
  const { mailbox, address: own, access } = useMailbox();
  const compose = useCompose();
  const [isAdding, setIsAdding] = useState(false);
  const { data: known } = useQuery(personQuery(mailbox, person.address));
  const address = shownAddress(person.address);
  const written = shownName(person);
  const saved = known?.id != null ? known : undefined;
  const name = saved?.name ?? written;
  useLayoutEffect(onResize);
  return (
    <div className="grid gap-3">
      <div className="min-w-0">
        <div className="flex items-center gap-2">
          <span dir="auto" className="min-w-0 truncate text-lg font-medium">
            {name}
          </span>
          {known?.source === 'directory' && <Badge>Directory</Badge>}
        </div>
        {saved !== undefined && saved.name !== null && saved.name !== written && written !== address && (
          <p className="text-sm text-muted">
            This message calls them <bdi>{written}</bdi>.
          </p>
        )}
        <div className="flex items-center gap-1 text-sm text-muted">
          <bdi className="min-w-0 wrap-anywhere">{address}</bdi>
          <Copy text={person.address} what="the address" />
        </div>
        {saved !== undefined && saved.note !== '' && (
          <p dir="auto" className="mt-1 line-clamp-3 text-sm whitespace-pre-wrap">
            {saved.note}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<PenIcon />}
          onClick={() => {
            onClose();
            compose({ to: person.address });
          }}
        >
          Write
        </Button>
        <Link
          to="/$address/$folder"
          params={{ address: own, folder: SEARCH }}
          search={{ q: mailWith(person.address) }}
          onClick={onClose}
          className={buttonClass()}
        >
          <SearchIcon />
          Search mail
        </Link>
        {known !== null && known !== undefined ? (
          <Link
            to="/$address/people/$person"
            params={{ address: own, person: person.address }}
            onClick={onClose}
            className={buttonClass()}
          >
            <UserIcon />
            Details
          </Link>
        ) : (
          access !== 'read' &&
          known === null && (
            <Button icon={<PlusIcon />} onClick={() => setIsAdding(true)}>
              Add contact
            </Button>
          )
        )}
      </div>
      {isAdding && (
        <Suspense fallback={null}>
          <ContactDialog
            mailbox={mailbox}
            contact={{
              id: null,
              name: written === address ? null : written,
              note: '',
              addresses: [person.address],
            }}
            onClose={() => setIsAdding(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
