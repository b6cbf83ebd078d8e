import { useSyncExternalStore } from 'react';
import { type DeskProps, OpenedDraft } from './opened-draft.tsx';
import type { OpenDraft } from './open-drafts.ts';
import type { Size } from './panel.tsx';

const NARROW = matchMedia('(width < 700px)');
const MAX_PANELS = 3;
/** The width of a panel with the gap beside it, and of the margins at both sides of the window, in pixels. */
const PANEL_PX = 620;
const MARGINS_PX = 48;

/** All messages that are being written: side by side at the bottom of the window, or inside the conversation that they reply to. */
export default function Desk({ drafts, ...rest }: DeskProps) {
  const isNarrow = useSyncExternalStore(onResize, () => NARROW.matches);
  const fitting = useSyncExternalStore(onResize, () =>
    Math.max(1, Math.min(MAX_PANELS, Math.floor((innerWidth - MARGINS_PX) / PANEL_PX))),
  );
  const panels = drafts.filter(({ place }) => isNarrow || place === 'panel');
  const expanded = isNarrow
    ? panels.slice(-1)
    : panels.filter(({ isMinimized }) => !isMinimized).slice(-fitting);
  const sizeOf = (draft: OpenDraft): Size => {
    if (!panels.includes(draft)) return 'inline';
    if (!expanded.includes(draft)) return isNarrow ? 'hidden' : 'bar';
    return isNarrow ? 'page' : 'panel';
  };
  // The order on the screen does not change when a message comes to the front.
  const shown = drafts.toSorted((a, b) => a.key - b.key);
  return (
    <div className="pointer-events-none fixed inset-x-6 bottom-0 z-30 flex flex-row-reverse items-end gap-3 *:pointer-events-auto">
      {shown.map((draft) => (
        <OpenedDraft
          key={draft.key}
          draft={draft}
          size={sizeOf(draft)}
          isFront={draft === expanded.at(-1)}
          {...rest}
        />
      ))}
    </div>
  );
}

function onResize(changed: () => void): () => void {
  window.addEventListener('resize', changed);
  return () => window.removeEventListener('resize', changed);
}
