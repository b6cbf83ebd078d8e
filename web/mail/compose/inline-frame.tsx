import { useEffect, useRef } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { CloseIcon, ExternalIcon } from '../../ui/icons.tsx';
import { Content, type FrameProps } from './panel.tsx';

interface InlineFrameProps extends FrameProps {
  /** Whether the user asked for the reply, so that the page scrolls to it. */
  isRequested: boolean;
  onPopOut(): void;
}

/** The frame of a reply inside its conversation. */
export function InlineFrame({ title, content, isRequested, onKeyDown, onClose, onPopOut }: InlineFrameProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isRequested || frame.current === null) return undefined;
    const { current } = frame;
    // The composer grows while it loads, until its first key.
    const observer = new ResizeObserver(() => current.scrollIntoView({ block: 'nearest' }));
    observer.observe(current);
    const end = () => observer.disconnect();
    current.addEventListener('keydown', end, { once: true });
    current.addEventListener('wheel', end, { once: true, passive: true });
    return end;
  }, [isRequested]);
  return (
    <section
      ref={frame}
      aria-label={title}
      data-inline
      className="mt-2 scroll-my-4 rounded-lg border border-edge bg-raised"
    >
      <div
        role="presentation"
        onKeyDown={onKeyDown}
        className="flex h-11 items-center gap-1 border-b border-line ps-4 pe-2"
      >
        <h2 className="min-w-0 flex-1 truncate text-base font-semibold">{title}</h2>
        <IconButton label="Pop out" onClick={onPopOut}>
          <ExternalIcon />
        </IconButton>
        <IconButton label="Save and close" onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <Content of={content} />
    </section>
  );
}
