import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Contact } from '../../../../src/contract/mail/contacts.ts';
import { lazyPart } from '../../../shell/code.ts';
import { Loaded } from '../../../shell/loaded.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ChevronLeftIcon, PenIcon, PlusIcon, SearchIcon, TrashIcon, UserIcon } from '../../../ui/icons.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { mailWith, personQuery, refreshPeople } from '../../people/queries.ts';
import { SEARCH } from '../../reading/folders.ts';
import { shownAddress, shownName } from '../../reading/people.ts';
import { useCompose } from '../../shell/compose.ts';
import { useMailbox } from '../../shell/session.ts';
import { RecentMail } from './recent-mail.tsx';

const ContactDialog = lazyPart(() => import('../../people/contact-dialog.tsx'));
const MergeDialog = lazyPart(() => import('./merge-dialog.tsx'));

/** One person: addresses, note, recent mail, and the actions on the person. */
export default function PersonPage() {
  const { mailbox, address } = useMailbox();
  const { person = '' } = useParams({ strict: false });
  const query = useQuery(personQuery(mailbox, person));
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-5 sm:px-6">
      <Loaded query={query} title="Could not load the person">
        {(contact) =>
          contact === null ? (
            <EmptyState
              icon={<UserIcon />}
              title="This person is not known"
              action={
                <Link to="/$address/people" params={{ address }} className={buttonClass()}>
                  Back to People
                </Link>
              }
            >
              The person was forgotten, or there is no mail with the address.
            </EmptyState>
          ) : (
            <Person contact={contact} />
          )
        }
      </Loaded>
    </div>
  );
}

function Person({ contact }: { contact: Contact }) {
  const { mailbox, address, access } = useMailbox();
  const navigate = useNavigate();
  const compose = useCompose();
  const [open, setOpen] = useState<'edit' | 'merge' | 'forget' | null>(null);
  const [first = ''] = contact.addresses;
  const name = shownName({ name: contact.name, address: first });
  const mayChange = access !== 'read';
  const close = () => setOpen(null);
  const show = (person: string) =>
    void navigate({ to: '/$address/people/$person', params: { address, person }, replace: true });
  const forget = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/contacts', {
          params: { path: { mailbox }, query: { address: first } },
        }),
      ),
    async onSuccess() {
      toast(`${name} forgotten`);
      await navigate({ to: '/$address/people', params: { address } });
      await refreshPeople(mailbox);
    },
    onError(error) {
      close();
      toastFailure(messageOf(error));
    },
  });
  return (
    <>
      <PageHeader
        back={
          <Link to="/$address/people" params={{ address }} className={backLink}>
            <ChevronLeftIcon className="size-3.5" />
            People
          </Link>
        }
        title={<bdi>{name}</bdi>}
        status={
          contact.source === 'mail' ? undefined : (
            <Badge tone={contact.source === 'contact' ? 'info' : 'quiet'}>
              {contact.source === 'contact' ? 'Contact' : 'Directory'}
            </Badge>
          )
        }
        actions={
          <>
            {mayChange && contact.source !== 'directory' && (
              <Button icon={<TrashIcon />} onClick={() => setOpen('forget')}>
                Forget
              </Button>
            )}
            {mayChange && (
              <Button icon={contact.id === null ? <PlusIcon /> : <PenIcon />} onClick={() => setOpen('edit')}>
                {contact.id === null ? 'Add contact' : 'Edit'}
              </Button>
            )}
            <Button kind="primary" icon={<PenIcon />} onClick={() => compose({ to: first })}>
              Write
            </Button>
          </>
        }
      />
      <section className="mb-6">
        <h2 className="mb-1 text-sm font-medium text-muted">Addresses</h2>
        <ul aria-label="Addresses">
          {contact.addresses.map((one) => (
            <li key={one} className="flex min-h-9 items-center gap-1">
              <bdi className="min-w-0 wrap-anywhere">{shownAddress(one)}</bdi>
              <Copy text={one} what={`the address ${shownAddress(one)}`} />
            </li>
          ))}
        </ul>
        {mayChange && contact.source !== 'directory' && (
          <Button kind="quiet" className="-ms-3" onClick={() => setOpen('merge')}>
            Merge with another person
          </Button>
        )}
      </section>
      {contact.note !== '' && (
        <section className="mb-6">
          <h2 className="mb-1 text-sm font-medium text-muted">Note</h2>
          <p dir="auto" className="text-start wrap-anywhere whitespace-pre-wrap">
            {contact.note}
          </p>
        </section>
      )}
      <section>
        <div className="mb-1 flex items-center gap-3">
          <h2 className="text-sm font-medium text-muted">Recent mail</h2>
          <Link
            to="/$address/$folder"
            params={{ address, folder: SEARCH }}
            search={{ q: mailWith(first) }}
            className="inline-flex items-center gap-1 text-sm text-accent hover:underline"
          >
            <SearchIcon className="size-3.5" />
            Search all mail
          </Link>
        </div>
        <RecentMail q={mailWith(first)} />
      </section>
      {open === 'edit' && (
        <Suspense fallback={null}>
          <ContactDialog mailbox={mailbox} contact={contact} onClose={close} onSaved={show} />
        </Suspense>
      )}
      {open === 'merge' && (
        <Suspense fallback={null}>
          <MergeDialog contact={contact} onClose={close} onMerged={show} />
        </Suspense>
      )}
      <AlertDialog
        isOpen={open === 'forget'}
        onClose={close}
        title={`Forget ${name}?`}
        action="Forget"
        isBusy={forget.isPending}
        onConfirm={() => forget.mutate()}
      >
        All addresses and the note are deleted. The mail stays. The person is suggested again only after you
        write to them.
      </AlertDialog>
    </>
  );
}
