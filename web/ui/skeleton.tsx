import { classes } from './classes.ts';

/** A placeholder of the final size, so that nothing moves when the content loads. The class name must set a width and a height. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={classes('block animate-pulse rounded-sm bg-quiet-soft', className)} />
  );
}

/** Placeholder rows. Use as many rows as will probably load. */
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
      <p aria-hidden="true" className="animate-[appear_1ms_2s_backwards] px-2 py-3 text-sm text-muted">
        Still loading…
      </p>
    </div>
  );
}
