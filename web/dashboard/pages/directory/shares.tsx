import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { Share } from '../../../../src/contract/directory.ts';
import { Button } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { sharesQuery } from './queries.ts';
import { number } from '../../../ui/amounts.ts';

interface SharesProps {
  project: string;
  mayShare: boolean;
  onEnded(): Promise<void>;
}

/** The projects whose directories this project can see, and the projects that can see this project's directory. */
export function Shares({ project, mayShare, onEnded }: SharesProps) {
  const { data, error, refetch } = useQuery(sharesQuery(project));
  const [ending, setEnding] = useState<Share | null>(null);
  if (data === undefined)
    return <NotLoaded title="Could not load the shares" error={error} refetch={refetch} rows={3} />;
  return (
    <div className="grid gap-8">
      <Direction
        title="Shared by this project"
        none={
          mayShare
            ? 'Not shared with any project yet. Share the directory to let another project look up these people.'
            : 'Not shared with any project yet.'
        }
        shares={data.outbound}
      >
        {!mayShare
          ? null
          : (share) => (
              <Button aria-label={`Stop sharing with ${share.project_name}`} onClick={() => setEnding(share)}>
                Stop sharing
              </Button>
            )}
      </Direction>
      <Direction
        title="Shared with this project"
        none="No other project shares its directory with this one. An admin of the other project can share it on its own Directory page."
        shares={data.inbound}
      >
        {null}
      </Direction>
      {ending !== null && (
        <EndShare project={project} share={ending} onEnded={onEnded} onClose={() => setEnding(null)} />
      )}
    </div>
  );
}

interface DirectionProps {
  title: string;
  none: string;
  shares: readonly Share[];
  /** Returns the button for a share. Null if the shares have no buttons. */
  children: null | ((share: Share) => ReactNode);
}

function Direction({ title, none, shares, children }: DirectionProps) {
  return (
    <section aria-label={title}>
      <h2 className="mb-2 text-lg">{title}</h2>
      {shares.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <Table
          label={title}
          head={
            <>
              <Th>Project</Th>
              <Th isNumeric>People</Th>
              <Th isWideOnly>Since</Th>
              {children !== null && (
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              )}
            </>
          }
        >
          {shares.map((share) => (
            <Row key={share.id}>
              <Td className="w-full font-medium wrap-anywhere">{share.project_name}</Td>
              <Td isNumeric>{number(share.people_count)}</Td>
              <Td isWideOnly className="whitespace-nowrap">
                <Time value={share.created_at} />
              </Td>
              {children !== null && <Td isNumeric>{children(share)}</Td>}
            </Row>
          ))}
        </Table>
      )}
    </section>
  );
}

interface EndShareProps {
  project: string;
  share: Share;
  onEnded(): Promise<void>;
  onClose(): void;
}

function EndShare({ project, share, onEnded, onClose }: EndShareProps) {
  const { id, project_name, people_count } = share;
  const end = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/shares/{id}', { params: { path: { project, id } } })),
    onSuccess: () => toast(`${project_name} can no longer see this directory`),
    onError: (error) => toastFailure(messageOf(error)),
    async onSettled() {
      onClose();
      await onEnded();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Stop sharing with ${project_name}?`}
      action="Stop sharing"
      isBusy={end.isPending}
      onConfirm={() => end.mutate()}
    >
      <p>
        {project_name} loses {people_count === 1 ? 'one person' : `${number(people_count)} people`} from its
        directory immediately. This directory does not change.
      </p>
    </AlertDialog>
  );
}
