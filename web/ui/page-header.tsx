import { type ReactNode, useEffect } from 'react';
import { useHeading } from './use-heading.ts';

export interface PageHeaderProps {
  /** The name of the page as in the menu, or of the resource that it shows. */
  title: ReactNode;
  /** Above the title: the link back. */
  back?: ReactNode;
  /** Beside the title: a status. */
  status?: ReactNode;
  description?: ReactNode;
  /** Buttons, the primary one last. */
  actions?: ReactNode;
}

/** The style of the link from a resource to its list, with a ChevronLeftIcon before the name of the page. */
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
        {/* On phones the title takes the remaining width, so that buttons beside it are on the right. */}
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
