import { Skeleton } from '../../../ui/skeleton.tsx';
import { classes } from '../../../ui/classes.ts';
import { type RowShape, useRowShape } from './use-media.ts';

export function RowSkeleton({ isLine, isCompact, height }: RowShape) {
  return isLine ? (
    <div className="flex items-center gap-4 border-b border-line px-4" style={{ height }}>
      <Skeleton className="h-3.5 w-4" />
      <Skeleton className="h-3.5 w-36" />
      <Skeleton className="h-3.5 flex-1" />
      <Skeleton className="h-3.5 w-14" />
    </div>
  ) : (
    <div
      className={classes(
        'grid content-center border-b border-line pr-4 pl-11',
        isCompact ? 'gap-2' : 'gap-2.5',
      )}
      style={{ height }}
    >
      <Skeleton className="h-3.5 w-1/3" />
      <Skeleton className="h-3.5 w-3/5" />
      {!isCompact && <Skeleton className="h-3 w-4/5" />}
    </div>
  );
}

/** Placeholders while rows load. */
export function RowSkeletons() {
  const shape = useRowShape();
  return (
    <div role="status" aria-label="Loading conversations">
      {Array.from({ length: 10 }, (_, row) => (
        <RowSkeleton key={row} {...shape} />
      ))}
    </div>
  );
}
