import type { ReactNode } from 'react';

export interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** Explains what the list would contain, and how to create the first entry. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Shown instead of an empty list. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="mx-auto grid max-w-md content-start justify-items-center gap-1.5 px-4 py-14 text-center">
      {icon !== undefined && (
        <span className="mb-2 grid size-10 place-items-center rounded-lg border border-line bg-panel text-muted">
          {icon}
        </span>
      )}
      <h2 className="text-lg">{title}</h2>
      {children !== undefined && <div className="text-balance text-muted">{children}</div>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** An error, shown instead of the data. */
export function Failure({
  title,
  children,
  onRetry,
}: {
  title: string;
  children?: ReactNode;
  onRetry?: () => void;
}) {
  return (
    <div role="alert">
      <EmptyState
        title={title}
        action={
          onRetry && (
            <button type="button" onClick={onRetry} className="font-medium text-accent hover:underline">
              Try again
            </button>
          )
        }
      >
        {children}
      </EmptyState>
    </div>
  );
}
