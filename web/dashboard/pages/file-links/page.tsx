import { useInfiniteQuery, useMutation, useQueryClient, infiniteQueryOptions } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type {
  DashboardFileLink,
  DashboardFileLinkList,
} from '../../../../src/contract/dashboard/file-links.ts';
import { bytes, counted, number } from '../../../ui/amounts.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { LinkIcon } from '../../../ui/compose-icons.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useMay, useProject } from '../../shell/session.ts';

const fileLinksQuery = (project: string) =>
  infiniteQueryOptions({
    queryKey: ['file-links', project],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/file-links', {
          params: { path: { project }, query: pageParam === '' ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });

const STATES: Readonly<Record<DashboardFileLink['state'], { words: string; tone: Tone }>> = {
  open: { words: 'Active', tone: 'good' },
  uploading: { words: 'Uploading', tone: 'info' },
  expired: { words: 'Expired', tone: 'quiet' },
  revoked: { words: 'Revoked', tone: 'quiet' },
  'used-up': { words: 'Download limit reached', tone: 'quiet' },
};

export default function FileLinksPage() {
  const { id: project } = useProject();
  const mayRevoke = useMay('admin');
  const [linkToRevoke, setLinkToRevoke] = useState<DashboardFileLink | null>(null);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    fileLinksQuery(project),
  );
  const links = data?.pages.flatMap((page) => page.data);
  return (
    <>
      <PageHeader title="File links" description={<Description list={data?.pages[0]} />} />
      {links === undefined && (
        <NotLoaded title="Could not load the file links" error={error} refetch={refetch} />
      )}
      {links?.length === 0 && (
        <EmptyState icon={<LinkIcon />} title="No file links yet">
          Files too large to attach are sent from the web client as links. Here you can see who shared which
          file and when the link expires, and revoke links.
        </EmptyState>
      )}
      {links !== undefined && links.length > 0 && (
        <LinkTable links={links} mayRevoke={mayRevoke} onRevoke={setLinkToRevoke} />
      )}
      {hasNextPage && (
        <div className="mt-4 text-center">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {linkToRevoke !== null && (
        <RevokeLink project={project} link={linkToRevoke} onClose={() => setLinkToRevoke(null)} />
      )}
    </>
  );
}

/** Describes the storage that file links use, and which users see file names. */
function Description({ list }: { list: DashboardFileLinkList | undefined }) {
  return (
    <>
      Files sent from the web client as links because they were too large to attach.
      {list !== undefined && ` ${bytes(list.live_octets)} of ${bytes(list.allowance_octets)} used.`}
      {list?.shows_names === false && ' Only their owners can see the file names.'}
    </>
  );
}

interface LinkTableProps {
  links: readonly DashboardFileLink[];
  mayRevoke: boolean;
  onRevoke(link: DashboardFileLink): void;
}

function LinkTable({ links, mayRevoke, onRevoke }: LinkTableProps) {
  return (
    <Table
      label="File links"
      head={
        <>
          <Th>Mailbox</Th>
          <Th>Status</Th>
          <Th isWideOnly isNumeric>
            Size
          </Th>
          <Th isWideOnly isNumeric>
            Downloads
          </Th>
          <Th isWideOnly isNumeric>
            Created
          </Th>
          <Th isWideOnly isNumeric>
            Expires
          </Th>
          {mayRevoke && (
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          )}
        </>
      }
    >
      {links.map((link) => (
        <LinkRow key={link.id} link={link} mayRevoke={mayRevoke} onRevoke={() => onRevoke(link)} />
      ))}
    </Table>
  );
}

interface LinkRowProps {
  link: DashboardFileLink;
  mayRevoke: boolean;
  onRevoke(): void;
}

function LinkRow({ link, mayRevoke, onRevoke }: LinkRowProps) {
  const { words, tone } = STATES[link.state];
  const isLive = link.state === 'open' || link.state === 'uploading';
  return (
    <Row>
      <Td className="w-full max-w-0">
        <Link
          to="/mailboxes/$id"
          params={{ id: link.mailbox.id }}
          className="block truncate font-medium hover:text-accent hover:underline"
          title={link.mailbox.address}
        >
          {link.mailbox.address}
        </Link>
        <span dir="auto" className="block truncate text-sm text-muted">
          <span className="md:hidden">{bytes(link.octets)}, </span>
          {link.names === null ? counted(link.files, 'file') : link.names.join(', ')}
        </span>
      </Td>
      <Td>
        <Badge tone={tone}>{words}</Badge>
      </Td>
      <Td isWideOnly isNumeric className="whitespace-nowrap">
        {bytes(link.octets)}
      </Td>
      <Td isWideOnly isNumeric>
        {number(link.downloads)}
        {link.last_download_at !== null && (
          <span className="block text-sm whitespace-nowrap text-muted">
            last <Time value={link.last_download_at} />
          </span>
        )}
      </Td>
      <Td isWideOnly isNumeric>
        <Time value={link.created_at} />
      </Td>
      <Td isWideOnly isNumeric>
        {isLive ? <Time value={link.expires_at} /> : <span className="text-muted">Ended</span>}
      </Td>
      {mayRevoke && (
        <Td className="w-0">
          {(isLive || link.state === 'used-up') && (
            <Button
              kind="quiet"
              aria-label={`Revoke the link of ${link.mailbox.address}, ${bytes(link.octets)}`}
              onClick={onRevoke}
            >
              Revoke
            </Button>
          )}
        </Td>
      )}
    </Row>
  );
}

interface RevokeLinkProps {
  project: string;
  link: DashboardFileLink;
  onClose(): void;
}

function RevokeLink({ project, link, onClose }: RevokeLinkProps) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/projects/{project}/file-links/{id}', { params: { path: { project, id: link.id } } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: fileLinksQuery(project).queryKey }),
    onSettled: onClose,
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Revoke this link of ${link.mailbox.address}?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      The link stops working everywhere, including in messages already sent, and {bytes(link.octets)} are
      deleted from this server. Its owner sees that it was revoked.
    </AlertDialog>
  );
}
