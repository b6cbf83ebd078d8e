import { useState } from 'react';
import { classes } from '../../../ui/classes.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { PreviewChoices, PreviewDocument, previewQuery, usePreviewChoice } from '../email/preview-choice.tsx';
import type { TemplateKey } from '../templates/queries.ts';
import type { WritingState } from './use-writing.ts';

/** The template as a recipient would see it. */
export function Preview({ of: key, writing }: { of: TemplateKey; writing: WritingState }) {
  const { trial, round, fields } = writing;
  const choice = usePreviewChoice();
  const [isText, setText] = useState(false);
  // While a tag is incomplete, the last valid preview remains visible.
  const [shownRound, setShownRound] = useState(round);
  if (trial.filled !== null && shownRound !== round) setShownRound(round);
  const { isPhone } = choice;
  const query = previewQuery(choice, { of: String(shownRound) });
  const showsText = isText && trial.filled !== null;
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
        <PreviewChoices of={choice} html={fields.html} />
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-panel has-[[data-focused]]:outline-2 has-[[data-focused]]:outline-accent">
        <p className="border-b border-line bg-page px-4 py-2.5">
          <span className="text-muted">Subject </span>
          <span className="font-medium wrap-anywhere">{trial.filled?.subject || '–'}</span>
        </p>
        {showsText ? (
          <pre
            // The tab stop lets users scroll the text with the keyboard.
            tabIndex={0}
            aria-label="Text part"
            className="h-[34rem] overflow-auto bg-page p-4 font-mono text-sm break-words whitespace-pre-wrap"
          >
            {trial.filled?.text || 'No text part: Posthorn generates one from the HTML.'}
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
      <p className="mt-2 text-sm text-muted">
        Uses the sample data. Scripts and remote content are blocked, and links are disabled.
      </p>
    </section>
  );
}
