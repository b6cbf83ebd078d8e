import { classes } from './classes.ts';

/** Where something will stand, in its size: what comes must not move anything. Give it a width and a height. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={classes('block animate-pulse rounded-sm bg-quiet-soft', className)} />
  );
}

/** As many rows as will likely come. */
export function SkeletonRows({ count = 6, label = 'Loading' }: { count?: number; label?: string }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: count }, (_, row) => (
        <div key={row} className="flex h-11 items-center gap-4 border-b border-line px-2">
          <Skeleton className="h-3.5 w-2/5" />
          <Skeleton className="ml-auto h-3.5 w-16" />
          <Skeleton className="h-3.5 w-12" />
        </div>
      ))}
    </div>
  );
}
