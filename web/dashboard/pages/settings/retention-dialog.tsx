import { useQuery } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Retention } from '../../../../src/contract/dashboard/projects.ts';
import { number } from '../../../ui/amounts.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useProject } from '../../shell/session.ts';

interface RetentionDialogProps {
  retention: Retention;
  isBusy: boolean;
  onConfirm(): void;
  onClose(): void;
}

/** Shows the data that new retention settings would delete immediately. */
export function RetentionDialog({ retention, isBusy, onConfirm, onClose }: RetentionDialogProps) {
  const { id: project, name } = useProject();
  const { keep_days: keepDays, keep_bodies_days: keepBodiesDays } = retention;
  const { data, error } = useQuery({
    queryKey: ['retention-preview', project, keepDays, keepBodiesDays],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/retention/preview', {
          params: {
            path: { project },
            query: {
              ...(keepDays !== null && { keep_days: keepDays }),
              ...(keepBodiesDays !== null && { keep_bodies_days: keepBodiesDays }),
            },
          },
          signal,
        }),
      ),
    gcTime: 0,
  });
  const shown = (count: number) =>
    data !== undefined && count >= data.counted_up_to ? `More than ${number(count)}` : number(count);
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Change retention of ${name}?`}
      action="Change"
      isBusy={isBusy}
      onConfirm={onConfirm}
    >
      {data === undefined && error === null && <Skeleton className="h-4 w-3/4" />}
      {error !== null && <p>Could not count what would be deleted: {messageOf(error)}</p>}
      {data !== undefined && (
        <p>
          {data.emails === 0 && data.bodies === 0
            ? 'No emails are old enough to be deleted now.'
            : 'These will be permanently deleted within minutes:'}
        </p>
      )}
      {data !== undefined && data.emails > 0 && (
        <p className="font-medium text-text">{shown(data.emails)} emails, with their timeline and content</p>
      )}
      {data !== undefined && data.bodies > 0 && (
        <p className="font-medium text-text">HTML and text of {shown(data.bodies)} emails</p>
      )}
      <p>
        From now on emails are stored {keepDays === null ? 'forever' : `for ${keepDays} days`}, and their HTML
        and text{' '}
        {keepBodiesDays === null
          ? 'for the same time'
          : keepBodiesDays === 0
            ? 'until the last attempt'
            : `for ${keepBodiesDays} days`}
        .
      </p>
    </AlertDialog>
  );
}
