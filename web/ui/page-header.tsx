import { type ReactNode, useEffect } from 'react';
import { useHeading } from './use-heading.ts';

export interface PageHeaderProps {
  /** The name of the page as in the menu, or of the one thing that it shows. */
  title: ReactNode;
  /** Above the title: the way back. */
  back?: ReactNode;
  /** Beside the title: a status. */
  status?: ReactNode;
  description?: ReactNode;
  /** Its buttons, the primary one last. */
  actions?: ReactNode;
}

/** For the link that leads from one thing to the list of its kind, with a ChevronLeftIcon before the name of the page. */
export const backLink = '-ml-1 inline-flex items-center gap-1 text-muted hover:text-text hover:underline';

/** The title of the window follows the heading. */
export function PageHeader({ title, back, status, description, actions }: PageHeaderProps) {
  const heading = useHeading();
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} – Posthorn`;
  });
  return (
    <header className="mb-5 grid gap-1">
      {back !== undefined && <div className="text-sm">{back}</div>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {/* On phones it takes what is left, so that the buttons are on the right where they stand beside it. */}
        <div className="flex min-w-0 grow flex-wrap items-center gap-x-3 gap-y-2 sm:contents">
          <h1 ref={heading} tabIndex={-1} className="min-w-0 text-xl">
            {title}
          </h1>
          {status}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2 sm:ml-auto">{actions}</div>}
      </div>
      {description !== undefined && (
        <p className="max-w-2xl text-pretty text-muted max-sm:mt-1">{description}</p>
      )}
    </header>
  );
}
