import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../../../api/client.ts';
import { bytes } from '../../../../ui/amounts.ts';
import { Button } from '../../../../ui/button.tsx';
import { LinkIcon } from '../../../../ui/compose-icons.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { EmptyState, Failure } from '../../../../ui/empty-state.tsx';
import { PenIcon } from '../../../../ui/icons.tsx';
import { Meter } from '../../../../ui/meter.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../../ui/skeleton.tsx';
import { toastFailure } from '../../../../ui/toast.tsx';
import { fileLinksQuery, revokeLink } from '../../../file-links/calls.ts';
import { ChangeLinkDialog } from '../../../file-links/change-link-dialog.tsx';
import type { FileLink } from '../../../../../src/contract/mail/file-links.ts';
import { nameOf } from '../../../file-links/words.ts';
import { useCompose } from '../../../shell/compose.ts';
import { useMailbox } from '../../../shell/session.ts';
import { LinkRow } from './link-row.tsx';

/** The refresh interval, because recipients may download at any time. */
const REFRESH_MS = 20_000;

type PendingAction = { what: 'change' | 'revoke'; link: FileLink } | null;

export default function FileLinksPage() {
  const { mailbox } = useMailbox();
  const compose = useCompose();
  const queries = useQueryClient();
  const query = fileLinksQuery(mailbox);
  const found = useInfiniteQuery({ ...query, refetchInterval: REFRESH_MS });
  const [pendingAction, setPendingAction] = useState<PendingAction>(null);
  const changed = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const revoke = useMutation({
    mutationFn: (link: FileLink) => revokeLink(mailbox, link),
    async onSettled(_, error) {
      setPendingAction(null);
      if (error !== null) toastFailure(messageOf(error));
      await changed();
    },
  });
  const links = found.data?.pages.flatMap(({ data }) => data);
  const [first] = found.data?.pages ?? [];
  return (
    <>
      <PageHeader
        title="File links"
        description="Files too large to attach are sent as links. Unless you set a password, anyone with a link can download its files until it expires."
      />
      {first !== undefined && <Allowance live={first.live_octets} of={first.allowance_octets} />}
      {links === undefined &&
        (found.error === null ? (
          <SkeletonRows />
        ) : (
          <Failure title="Could not load the file links" onRetry={() => void found.refetch()}>
            {messageOf(found.error)}
          </Failure>
        ))}
      {links?.length === 0 && (
        <EmptyState
          icon={<LinkIcon />}
          title="No file links yet"
          action={
            <Button icon={<PenIcon />} onClick={() => compose({})}>
              Compose
            </Button>
          }
        >
          In a message, open the menu next to Attach and choose “Send file as link”, or drop in a file that is
          too large to attach. The links appear here, with their downloads, and you can revoke them.
        </EmptyState>
      )}
      {links !== undefined && links.length > 0 && (
        <ul aria-label="File links" className="divide-y divide-line rounded-lg border border-line">
          {links.map((link) => (
            <LinkRow
              key={link.id}
              mailbox={mailbox}
              link={link}
              onChange={() => setPendingAction({ what: 'change', link })}
              onRevoke={() => setPendingAction({ what: 'revoke', link })}
            />
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <Button className="mt-3" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
      {pendingAction?.what === 'change' && (
        <ChangeLinkDialog
          mailbox={mailbox}
          link={pendingAction.link}
          onChanged={() => void changed()}
          onClose={() => setPendingAction(null)}
        />
      )}
      <AlertDialog
        isOpen={pendingAction?.what === 'revoke'}
        onClose={() => setPendingAction(null)}
        title={pendingAction === null ? '' : `Revoke the link to ${nameOf(pendingAction.link)}?`}
        action="Revoke"
        isBusy={revoke.isPending}
        onConfirm={() => pendingAction !== null && revoke.mutate(pendingAction.link)}
      >
        The link stops working everywhere, including in messages already sent, and its files are deleted from
        the server. Downloaded copies are not affected.
      </AlertDialog>
    </>
  );
}

function Allowance({ live, of }: { live: number; of: number }) {
  const words = `${bytes(live)} of ${bytes(of)}`;
  return (
    <div className="mb-5 grid max-w-sm gap-1.5">
      <Meter label={`${words} used by links`} value={live / Math.max(1, of)} />
      <p className="text-sm text-muted">{words} used, including links from other mailboxes</p>
    </div>
  );
}
