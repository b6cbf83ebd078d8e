import { useEffect, useRef } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { PreviewDocument } from '../email/preview-choice.tsx';
import type { Starter } from './suggest-starter.ts';

interface StartersProps {
  project: string;
  /** Undefined while they are loading. */
  starters: readonly Starter[] | undefined;
  chosen: Starter | undefined;
  /** Whether the name of the template suggested the chosen starter. */
  isSuggested: boolean;
  onChoose(key: Starter['key']): void;
}

/** The choice of an example from which a new template starts, with a preview. */
export function Starters({ project, starters, chosen, isSuggested, onChoose }: StartersProps) {
  const list = useRef<HTMLDivElement>(null);
  // Scrolls only the list, because the user may be typing the name that suggests the starter.
  useEffect(() => {
    const label = list.current?.querySelector<HTMLElement>(`[data-starter="${chosen?.key}"]`);
    if (list.current === null || !label) return;
    const { offsetTop, offsetHeight } = label;
    const { scrollTop, clientHeight } = list.current;
    if (offsetTop < scrollTop) list.current.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight)
      list.current.scrollTop = offsetTop + offsetHeight - clientHeight;
  }, [chosen?.key]);
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="mb-1.5 font-medium">Start with</legend>
      <div
        ref={list}
        className="relative max-h-56 overflow-y-auto rounded-md border border-line sm:max-h-[22rem]"
      >
        {starters === undefined && <SkeletonRows count={6} />}
        {starters?.map(({ key, title, description }) => (
          <label
            key={key}
            data-starter={key}
            className={classes(
              'relative block cursor-pointer border-b border-line px-3 py-2 last:border-b-0',
              'has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
              key === chosen?.key ? 'bg-info-soft' : 'hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name="starter"
              value={key}
              aria-label={title}
              checked={key === chosen?.key}
              onChange={() => onChoose(key)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            <span className="flex flex-wrap items-center gap-x-2 font-medium">
              {title}
              {isSuggested && key === chosen?.key && <Badge>Suggested</Badge>}
            </span>
            <span className="block text-sm text-muted">{description}</span>
          </label>
        ))}
      </div>
      {chosen !== undefined && (
        <PreviewDocument
          src={`/dashboard/api/projects/${project}/template-starters/preview?starter=${chosen.key}`}
          height="h-72 sm:h-[22rem]"
          isPhone
        />
      )}
    </fieldset>
  );
}
