import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Segmented } from '../../../ui/segmented.tsx';

const REMOTE_IMAGE = /(?:src|background)\s*=\s*["']?\s*https?:|url\(\s*["']?\s*https?:/i;

/** On a narrow screen the desktop preview does not fit, so the preview has the width of a phone at first. */
const NARROW = matchMedia('(width < 40rem)');

/** The options of the preview, as stored in the page's URL. */
export interface PreviewChoice {
  isPhone: boolean;
  isDark: boolean;
  isRemote: boolean;
  onWidth(width: string): void;
  onTheme(theme: string): void;
  onRemote(): void;
}

export function usePreviewChoice(): PreviewChoice {
  const [width, onWidth] = useSearchParam('width');
  const [theme, onTheme] = useSearchParam('theme');
  // Attack: a link with query parameters must not load remote images, so this choice is never read from the URL.
  const [isRemote, setIsRemote] = useState(false);
  return {
    isPhone: width === 'phone' || (width !== 'desktop' && NARROW.matches),
    isDark: theme === 'dark',
    isRemote,
    onWidth,
    onTheme,
    onRemote: () => setIsRemote(true),
  };
}

/** The query parameters of the preview. */
export function previewQuery(
  { isDark, isRemote }: PreviewChoice,
  more: Record<string, string> = {},
): URLSearchParams {
  return new URLSearchParams({
    ...more,
    theme: isDark ? 'dark' : 'light',
    ...(isRemote && { remote: '1' }),
  });
}

export function PreviewChoices({ of: choice, html }: { of: PreviewChoice; html: string | null }) {
  const { isPhone, isDark, isRemote, onWidth, onTheme, onRemote } = choice;
  return (
    <>
      <Segmented
        label="Width"
        value={isPhone ? 'phone' : 'desktop'}
        options={[
          { value: 'desktop', label: 'Desktop' },
          { value: 'phone', label: 'Phone' },
        ]}
        onChange={onWidth}
      />
      <Segmented
        label="Theme of the mail app"
        value={isDark ? 'dark' : 'light'}
        options={[
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={(value) => onTheme(value === 'dark' ? value : '')}
      />
      {html !== null && REMOTE_IMAGE.test(html) && (
        <Button disabled={isRemote} onClick={onRemote} className="sm:ml-auto">
          {isRemote ? 'Remote images shown' : 'Load remote images'}
        </Button>
      )}
    </>
  );
}

/** The email in a frame that runs no scripts and has no origin. */
export function PreviewDocument({ src, height, isPhone }: { src: string; height: string; isPhone: boolean }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isFocused, setIsFocused] = useState(false);
  // Chromium does not match `:focus` on a frame. The window loses the focus to the frame, so window events show the change.
  useEffect(() => {
    const look = () => setIsFocused(document.activeElement === frame.current);
    window.addEventListener('blur', look);
    window.addEventListener('focus', look);
    return () => {
      window.removeEventListener('blur', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  return (
    <div
      className={isPhone ? 'min-w-0' : 'overflow-x-auto'}
      // The tab stop lets users scroll the frame with the keyboard.
      {...(!isPhone && { role: 'group', 'aria-label': 'As on a desktop', tabIndex: 0 })}
    >
      <iframe
        ref={frame}
        data-focused={isFocused || undefined}
        title="Preview"
        sandbox=""
        referrerPolicy="no-referrer"
        src={src}
        className={classes(
          'block bg-page',
          height,
          // The desktop preview is wider than the screen of a phone.
          isPhone ? 'w-[375px] max-w-full rounded-lg border border-line' : 'w-full min-w-[40rem]',
        )}
      />
    </div>
  );
}
