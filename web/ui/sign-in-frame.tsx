import type { ReactNode } from 'react';
import { PageHeader } from './page-header.tsx';
import { Mark } from './mark.tsx';

export interface SignInFrameProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Other ways to sign in, below the form. */
  footer?: ReactNode;
}

/** The frame of pages for users who are not signed in. */
export function SignInFrame({ title, description, children, footer }: SignInFrameProps) {
  return (
    <div className="grid min-h-dvh grid-rows-[1fr_auto_1.6fr] bg-panel px-4">
      <main className="row-start-2 mx-auto w-full max-w-sm py-8">
        <p className="mb-6 flex items-center gap-2.5 text-lg font-semibold">
          <Mark className="size-7" />
          Posthorn
        </p>
        <div className="rounded-lg border border-line bg-raised p-5 shadow-low sm:p-6">
          <PageHeader title={title} description={description} />
          {children}
        </div>
        {footer !== undefined && <div className="mt-4 text-center text-sm text-muted">{footer}</div>}
      </main>
    </div>
  );
}
