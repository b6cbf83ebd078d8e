import type { EmailContent } from '../../../../src/contract/dashboard/email.ts';
import { classes } from '../../../ui/classes.ts';
import { useProject } from '../../shell/session.ts';
import { PreviewChoices, PreviewDocument, previewQuery, usePreviewChoice } from './preview-choice.tsx';
import { partUrl } from './queries.ts';

/** What the recipient sees. */
export function PreviewFrame({ id, content }: { id: string; content: EmailContent | undefined }) {
  const project = useProject();
  const choice = usePreviewChoice();
  const { isPhone } = choice;
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PreviewChoices of={choice} html={content?.html ?? null} />
      </div>
      <div
        className={classes(
          'overflow-hidden rounded-lg border border-line bg-panel',
          // A frame is scrolled by keys as well.
          'has-[[data-focused]]:outline-2 has-[[data-focused]]:outline-accent',
          isPhone && 'flex justify-center py-4',
        )}
      >
        <PreviewDocument
          src={partUrl(project.id, id, 'preview', `?${previewQuery(choice)}`)}
          height="h-[min(44rem,75vh)]"
          isPhone={isPhone}
        />
      </div>
      <p className="mt-2 text-sm text-muted">
        Nothing in it runs or loads by itself, links lead nowhere, and looking at it counts as no open.
      </p>
    </div>
  );
}
