import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { classes } from '../../../ui/classes.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useProject } from '../../shell/session.ts';
import { PreviewChoices, PreviewDocument, previewQuery, usePreviewChoice } from '../email/preview-choice.tsx';
import { lastEmailQuery, type TemplateKey } from '../templates/queries.ts';
import { LastEmail } from './last-email.tsx';
import type { WritingState } from './use-writing.ts';

/** The template as a recipient would see it. An error in one part leaves the other parts visible. */
export function Preview({ of: key, writing }: { of: TemplateKey; writing: WritingState }) {
  const { round, fields } = writing;
  const { sees_bodies } = useProject();
  const choice = usePreviewChoice();
  const [usesLast, setUsesLast] = useState(false);
  const lastQuery = lastEmailQuery(key, previewQuery(choice, { of: String(round) }).toString());
  const { data: found, error: failure, isPlaceholderData } = useQuery({ ...lastQuery, enabled: usesLast });
  const last = usesLast ? found?.email : undefined;
  const trial = last?.trial ?? writing.trial;
  const [isText, setText] = useState(false);
  const { subject, text } = trial.filled;
  // The frame shows a template without HTML as its text.
  const frameError = trial.errors[fields.html === '' ? 'text' : 'html'];
  const error = isText ? trial.errors.text : frameError;
  // While a tag is incomplete, the last valid preview remains visible.
  const [shownRound, setShownRound] = useState(round);
  if (frameError === undefined && !isPlaceholderData && shownRound !== round) setShownRound(round);
  const { isPhone } = choice;
  const query = previewQuery(choice, { of: String(shownRound), ...(last && { data: 'last-email' }) });
  return (
    <section aria-label="Preview" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Segmented
          label="Part"
          value={isText ? 'text' : 'html'}
          options={[
            { value: 'html', label: 'HTML' },
            { value: 'text', label: 'Text' },
          ]}
          onChange={(value) => setText(value === 'text')}
        />
        {sees_bodies && (
          <Segmented
            label="Data"
            value={usesLast ? 'last' : 'sample'}
            options={[
              { value: 'sample', label: 'Sample data' },
              { value: 'last', label: 'Last email' },
            ]}
            onChange={(value) => setUsesLast(value === 'last')}
          />
        )}
        <PreviewChoices of={choice} html={fields.html} />
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-panel has-[[data-focused]]:outline-2 has-[[data-focused]]:outline-accent">
        <p className="border-b border-line bg-page px-4 py-2.5">
          <span className="text-muted">Subject </span>
          {subject === null ? (
            <span className="text-bad">{trial.errors.subject}</span>
          ) : (
            <span className="font-medium wrap-anywhere">{subject || '–'}</span>
          )}
        </p>
        {error !== undefined && (
          <p className="border-b border-line bg-bad-soft px-4 py-2 text-sm wrap-anywhere text-bad">{error}</p>
        )}
        {isText ? (
          <pre
            // The tab stop lets users scroll the text with the keyboard.
            tabIndex={0}
            aria-label="Text part"
            className="h-[34rem] overflow-auto bg-page p-4 font-mono text-sm break-words whitespace-pre-wrap"
          >
            {error === undefined && (text || 'No text part: Posthorn generates one from the HTML.')}
          </pre>
        ) : (
          <div className={classes(isPhone && 'flex justify-center py-4')}>
            <PreviewDocument
              src={`/dashboard/api/projects/${key.project}/templates/${key.id}/preview?${query}`}
              height="h-[34rem]"
              isPhone={isPhone}
            />
          </div>
        )}
      </div>
      <p role="status" className="mt-2 text-sm wrap-anywhere text-muted">
        {usesLast ? <LastEmail found={found} error={failure} /> : 'Uses the sample data.'}
      </p>
      <p className="mt-1 text-sm text-muted">
        Scripts and remote content are blocked, and links are disabled.
      </p>
    </section>
  );
}
