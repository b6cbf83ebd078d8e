import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import {
  ArchiveIcon,
  FolderIcon,
  InboxIcon,
  JunkIcon,
  PenIcon,
  SearchIcon,
  SendIcon,
  TrashIcon,
} from '../../../ui/icons.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { useCompose } from '../../shell/compose.ts';
import { useMailbox } from '../../shell/session.ts';
import type { Listing } from '../../reading/use-listing.ts';

/** Explains what an empty folder would contain, and how mail gets there. */
export function Nothing({ listing: { folder, q } }: { listing: Listing }) {
  const { address } = useMailbox();
  const compose = useCompose();
  const navigate = useNavigate();
  if (folder === undefined)
    return (
      <EmptyState
        icon={<SearchIcon />}
        title={q === '' ? 'Search all mail' : 'Nothing is found'}
        action={
          q !== '' && (
            <Button
              onClick={() => void navigate({ to: '/$address/$folder', params: { address, folder: 'inbox' } })}
            >
              Back to the Inbox
            </Button>
          )
        }
      >
        {q === ''
          ? 'Words, “phrases”, from:ann, to:, subject:, has:file, before:2025-06-01, after:, in:archive, is:unread. A minus in front leaves out.'
          : 'No message has all of that. Trash and Junk are searched with in:trash and in:junk alone.'}
      </EmptyState>
    );
  switch (folder.role) {
    case 'inbox':
      return (
        <EmptyState icon={<InboxIcon />} title="The Inbox is empty">
          <p>Mail that comes for this address is here at once:</p>
          <p className="mt-1 flex items-center justify-center gap-1 font-medium text-text">
            {address}
            <Copy text={address} what="the address" />
          </p>
        </EmptyState>
      );
    case 'drafts':
      return (
        <EmptyState
          icon={<PenIcon />}
          title="No drafts"
          action={<Button onClick={() => compose()}>Write a message</Button>}
        >
          What you begin to write is kept here until you send it.
        </EmptyState>
      );
    case 'sent':
      return (
        <EmptyState
          icon={<SendIcon />}
          title="Nothing sent yet"
          action={<Button onClick={() => compose()}>Write a message</Button>}
        >
          A copy of what you send is kept here.
        </EmptyState>
      );
    case 'archive':
      return (
        <EmptyState icon={<ArchiveIcon />} title="Nothing archived yet">
          Press e on what is done: it leaves the Inbox, and is found here and by the search.
        </EmptyState>
      );
    case 'junk':
      return (
        <EmptyState icon={<JunkIcon />} title="No junk">
          What looks like spam comes here and is deleted after 30 days. Press ! on what got through, and the
          filter learns.
        </EmptyState>
      );
    case 'trash':
      return (
        <EmptyState icon={<TrashIcon />} title="The Trash is empty">
          What you throw away waits here for 30 days before it is deleted for ever.
        </EmptyState>
      );
    case null:
      return (
        <EmptyState icon={<FolderIcon />} title={`Nothing in ${folder.name}`}>
          Press v on a conversation to move it here, or make a rule that does so by itself.
        </EmptyState>
      );
  }
}
