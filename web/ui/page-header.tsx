import { type ReactNode, useEffect } from 'react';
import { useHeading } from './use-heading.ts';

export interface PageHeaderProps {
  /** The name of the page as in the menu, or the name of the resource that the page shows. */
  title: ReactNode;
  /** The link to the previous page, shown above the title. */
  back?: ReactNode;
  /** The status of the resource, shown beside the title. */
  status?: ReactNode;
  description?: ReactNode;
  /** The buttons, with the primary button last. */
  actions?: ReactNode;
}

/** The class names of the link from a resource to its list. The link has a `ChevronLeftIcon` before the name of the list. */
export const backLink = '-ml-1 inline-flex items-center gap-1 text-muted hover:text-text hover:underline';

/** The heading of a page. The title of the window follows the heading. */
export function PageHeader({ title, back, status, description, actions }: PageHeaderProps) {
  const heading = useHeading();
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} – Posthorn`;
  });
  return (
    <header className="mb-5 grid grid-cols-[minmax(0,1fr)] gap-1">
      {back !== undefined && <div className="text-sm">{back}</div>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {/* On phones the title takes the remaining width, so that buttons beside it are on the right. */}
        <div className="flex min-w-0 grow flex-wrap items-center gap-x-3 gap-y-2 sm:contents">
          <h1 ref={heading} tabIndex={-1} className="min-w-0 text-xl wrap-anywhere">
            {title}
          </h1>
          {status}
        </div>
        {/* On phones the buttons follow the description. */}
        {description !== undefined && (
          <div className="w-full sm:order-last sm:-mt-1">
            <p className="max-w-2xl text-pretty text-muted">{description}</p>
          </div>
        )}
        {actions !== undefined && <div className="flex flex-wrap gap-2 sm:ml-auto">{actions}</div>}
      </div>
    </header>
  );
}
