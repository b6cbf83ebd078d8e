import { Skeleton, SkeletonRows } from '../../ui/skeleton.tsx';

const MENU_LINES = 6;

/** The places of all that comes, so that nothing moves. */
export function Waiting() {
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div className="hidden h-dvh border-r border-line bg-panel p-3 lg:block">
        <div className="grid gap-3.5 px-2 pt-3">
          <Skeleton className="mb-4 h-6 w-32" />
          {Array.from({ length: MENU_LINES }, (_, at) => (
            <Skeleton key={at} className="h-4.5 w-24" />
          ))}
        </div>
      </div>
      <div>
        <div className="h-13 border-b border-line" />
        <main className="px-4 pt-6 sm:px-6">
          <SkeletonRows />
        </main>
      </div>
    </div>
  );
}
