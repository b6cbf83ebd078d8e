import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import type { TemplateKey } from '../templates/queries.ts';
import type { Writing } from './use-writing.ts';

const REMOTE_IMAGE = /(?:src|background)\s*=\s*["']?\s*https?:|url\(\s*["']?\s*https?:/i;

/** What a recipient would see, in a frame in which nothing runs and which has no origin. */
export function Preview({ of: key, writing }: { of: TemplateKey; writing: Writing }) {
  const { trial, round, fields } = writing;
  const [width, setWidth] = useSearchParam('width');
  const [theme, setTheme] = useSearchParam('theme');
  const [isText, setText] = useState(false);
  // Never from the address: a link that somebody sends must not load anything.
  const [isRemote, setIsRemote] = useState(false);
  // An unfinished tag does not take away what was there before it.
  const [shownRound, setShownRound] = useState(round);
  if (trial.filled !== null && shownRound !== round) setShownRound(round);
  const isPhone = width === 'phone';
  const query = new URLSearchParams({
    of: String(shownRound),
    theme: theme === 'dark' ? 'dark' : 'light',
    ...(isRemote && { remote: '1' }),
  });
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
        <Segmented
          label="Width"
          value={isPhone ? 'phone' : 'desktop'}
          options={[
            { value: 'desktop', label: 'Desktop' },
            { value: 'phone', label: 'Phone' },
          ]}
          onChange={(value) => setWidth(value === 'phone' ? value : '')}
        />
        <Segmented
          label="Theme of the mail app"
          value={theme === 'dark' ? 'dark' : 'light'}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(value) => setTheme(value === 'dark' ? value : '')}
        />
        {REMOTE_IMAGE.test(fields.html) && (
          <Button disabled={isRemote} onClick={() => setIsRemote(true)}>
            {isRemote ? 'Remote images are shown' : 'Load remote images'}
          </Button>
        )}
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-panel has-[iframe:focus]:outline-2 has-[iframe:focus]:outline-accent">
        <p className="border-b border-line bg-page px-4 py-2.5">
          <span className="text-muted">Subject </span>
          <span className="font-medium wrap-anywhere">{trial.filled?.subject || '–'}</span>
        </p>
        {showsText ? (
          <pre
            // It is scrolled by the keyboard, too.
            tabIndex={0}
            aria-label="Text part"
            className="h-[34rem] overflow-auto bg-page p-4 font-mono text-sm break-words whitespace-pre-wrap"
          >
            {trial.filled?.text || 'There is no text part: Posthorn writes one from the HTML.'}
          </pre>
        ) : (
          <div className={classes(isPhone && 'flex justify-center py-4')}>
            <iframe
              title="Preview"
              sandbox=""
              referrerPolicy="no-referrer"
              src={`/dashboard/api/projects/${key.project}/templates/${key.id}/preview?${query}`}
              className={classes(
                'block h-[34rem] bg-page',
                isPhone ? 'w-[375px] max-w-full rounded-lg border border-line' : 'w-full',
              )}
            />
          </div>
        )}
      </div>
      <p className="mt-2 text-sm text-muted">
        Filled in with the sample data. Nothing in it runs or loads by itself, and links lead nowhere.
      </p>
    </section>
  );
}
