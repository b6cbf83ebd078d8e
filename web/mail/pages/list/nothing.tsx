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
import { useChangeView } from './filter-chips.tsx';
import type { Listing } from '../../reading/use-listing.ts';

/** Explains what kind of mail an empty folder would contain. */
export default function Nothing({ listing }: { listing: Listing }) {
  const { folder, q, view } = listing;
  const change = useChangeView(listing);
  const { address } = useMailbox();
  const compose = useCompose();
  const navigate = useNavigate();
  if (folder === undefined)
    return (
      <EmptyState
        icon={<SearchIcon />}
        title={q === '' ? 'Search all mail' : 'No results'}
        action={
          q !== '' && (
            <Button
              onClick={() => void navigate({ to: '/$address/$folder', params: { address, folder: 'inbox' } })}
            >
              Back to Inbox
            </Button>
          )
        }
      >
        {q === '' ? (
          'Use words, “phrases”, from:ann, to:, subject:, has:file, before:2025-06-01, after:, in:archive or is:unread. A minus sign excludes a term.'
        ) : (
          <>
            No messages match <q className="wrap-anywhere">{q}</q>. Try fewer words, or add in:trash or
            in:junk to search Trash or Junk.
          </>
        )}
      </EmptyState>
    );
  if (view.filter !== undefined)
    return (
      <EmptyState
        icon={<FolderIcon />}
        title="No conversations match the filter"
        action={<Button onClick={() => change({ filter: null })}>Remove filter</Button>}
      />
    );
  switch (folder.role) {
    case 'inbox':
      return (
        <EmptyState icon={<InboxIcon />} title="The Inbox is empty">
          <p>New mail to this address appears here:</p>
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
          action={<Button onClick={() => compose()}>Compose</Button>}
        >
          Unfinished messages are saved here until you send them.
        </EmptyState>
      );
    case 'sent':
      return (
        <EmptyState
          icon={<SendIcon />}
          title="Nothing sent yet"
          action={<Button onClick={() => compose()}>Compose</Button>}
        >
          Copies of sent messages are saved here.
        </EmptyState>
      );
    case 'archive':
      return (
        <EmptyState icon={<ArchiveIcon />} title="Nothing archived yet">
          Press e to archive a conversation: it leaves the Inbox, and stays here and in search results.
        </EmptyState>
      );
    case 'junk':
      return (
        <EmptyState icon={<JunkIcon />} title="No junk">
          Suspected spam is moved here and deleted after 30 days. Press ! on spam in your Inbox to train the
          filter.
        </EmptyState>
      );
    case 'trash':
      return (
        <EmptyState icon={<TrashIcon />} title="The Trash is empty">
          Deleted messages stay here for 30 days before they are permanently deleted.
        </EmptyState>
      );
    case null:
      return (
        <EmptyState icon={<FolderIcon />} title={`Nothing in ${folder.name}`}>
          Press v on a conversation to move it here, or create a rule that does so automatically.
        </EmptyState>
      );
  }
}
