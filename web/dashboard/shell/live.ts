import { connection } from '../../shell/connection.ts';
import { local } from '../../ui/times.ts';
import { useWatched } from '../../ui/watched.ts';

export interface LiveUpdates {
  areComing: boolean;
  /** Shown instead of "Live" while no updates come. */
  status: string;
}

interface PolledQuery {
  error: Error | null;
  failureCount: number;
  /** Zero before the first response. */
  dataUpdatedAt: number;
}

/** Whether a query that polls for updates gets responses. */
export function useLiveUpdates({ error, failureCount, dataUpdatedAt }: PolledQuery): LiveUpdates {
  const { state } = useWatched(connection);
  return {
    // A server that is not ready may still respond to reads.
    areComing: (state === 'ok' || state === 'unready') && error === null && failureCount === 0,
    status: `Reconnecting${dataUpdatedAt === 0 ? '' : `, last update ${local.second(dataUpdatedAt)}`}`,
  };
}
