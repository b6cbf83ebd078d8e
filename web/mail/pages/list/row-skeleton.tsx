import { Skeleton } from '../../../ui/skeleton.tsx';
import { CARD_HEIGHT, LINE_HEIGHT } from './row.tsx';

export function RowSkeleton({ isLine }: { isLine: boolean }) {
  return isLine ? (
    <div className="flex items-center gap-4 border-b border-line px-4" style={{ height: LINE_HEIGHT }}>
      <Skeleton className="h-3.5 w-4" />
      <Skeleton className="h-3.5 w-36" />
      <Skeleton className="h-3.5 flex-1" />
      <Skeleton className="h-3.5 w-14" />
    </div>
  ) : (
    <div
      className="grid content-center gap-2.5 border-b border-line pr-4 pl-11"
      style={{ height: CARD_HEIGHT }}
    >
      <Skeleton className="h-3.5 w-1/3" />
      <Skeleton className="h-3.5 w-3/5" />
      <Skeleton className="h-3 w-4/5" />
    </div>
  );
}

/** Placeholders while rows load. */
export function RowSkeletons({ isLine }: { isLine: boolean }) {
  return (
    <div role="status" aria-label="Loading conversations">
      {Array.from({ length: 10 }, (_, row) => (
        <RowSkeleton key={row} isLine={isLine} />
      ))}
    </div>
  );
}
