import { useState } from 'react';
import type { EmailContent } from '../../../api/schema.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useProject } from '../../shell/session.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { partUrl } from './queries.ts';

const REMOTE_IMAGE = /(?:src|background)\s*=\s*["']?\s*https?:|url\(\s*["']?\s*https?:/i;

/** What the recipient sees, in a frame in which nothing runs and which has no origin. */
export function PreviewFrame({ id, content }: { id: string; content: EmailContent | undefined }) {
  const project = useProject();
  const [width, setWidth] = useSearchParam('width');
  const [theme, setTheme] = useSearchParam('theme');
  // Never from the address: a link that somebody sends must not load anything.
  const [isRemote, setIsRemote] = useState(false);
  const isPhone = width === 'phone';
  const isDark = theme === 'dark';
  const query = new URLSearchParams({
    ...(isRemote && { remote: '1' }),
    theme: isDark ? 'dark' : 'light',
  });
  const hasRemote = content?.html !== null && content?.html !== undefined && REMOTE_IMAGE.test(content.html);
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
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
          value={isDark ? 'dark' : 'light'}
          options={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={(value) => setTheme(value === 'dark' ? value : '')}
        />
        {hasRemote && (
          <Button disabled={isRemote} onClick={() => setIsRemote(true)} className="sm:ml-auto">
            {isRemote ? 'Remote images are shown' : 'Load remote images'}
          </Button>
        )}
      </div>
      <div
        className={classes(
          'overflow-hidden rounded-lg border border-line bg-panel',
          // A frame is scrolled by keys as well.
          'has-[iframe:focus]:outline-2 has-[iframe:focus]:outline-accent',
          isPhone && 'flex justify-center py-4',
        )}
      >
        <iframe
          title="Preview"
          sandbox=""
          referrerPolicy="no-referrer"
          src={partUrl(project.id, id, 'preview', `?${query}`)}
          className={classes(
            'block h-[min(44rem,75vh)] bg-page',
            isPhone ? 'w-[375px] max-w-full rounded-lg border border-line' : 'w-full',
          )}
        />
      </div>
      <p className="mt-2 text-sm text-muted">
        Nothing in it runs or loads by itself, links lead nowhere, and looking at it counts as no open.
      </p>
    </div>
  );
}
