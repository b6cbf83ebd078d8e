import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../../../api/client.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { filingQuery } from '../mailboxes/queries.ts';
import { Blocked } from './blocked.tsx';
import { Forwarding } from './forwarding.tsx';
import type { PartProps } from './part-props.ts';
import { Rules } from './rules.tsx';
import { Vacation } from './vacation.tsx';

/** What becomes of the mail of the mailbox. */
export default function Filing({ of: key, mailbox }: PartProps) {
  const { data, error, refetch } = useQuery(filingQuery(key));
  if (data === undefined && error !== null)
    return (
      <Failure title="The rules cannot be shown" onRetry={() => void refetch()}>
        {messageOf(error)}
      </Failure>
    );
  if (data === undefined) return <SkeletonRows />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Rules of={key} rules={data.rules} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
        <Forwarding of={key} mailbox={mailbox} filing={data} />
        <Vacation of={key} vacation={data.vacation} />
      </div>
      <Blocked of={key} blocked={data.blocked} />
    </div>
  );
}
