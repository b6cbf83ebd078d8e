import { useRef, useState } from 'react';
import { classes } from '../../../../ui/classes.ts';

interface GalleryImageProps {
  url: string;
  name: string;
  /** 1: the image fits the window. */
  zoom: number;
}

/** An image that fits its frame, or is enlarged and can be scrolled. */
export function GalleryImage({ url, name, zoom }: GalleryImageProps) {
  const frame = useRef<HTMLDivElement>(null);
  /** The width at which the image fits the frame. */
  const [fitting, setFitting] = useState<number | null>(null);
  const [isBroken, setBroken] = useState(false);
  if (isBroken)
    return (
      <p role="alert" className="p-8 text-center text-muted">
        This image cannot be shown. Download it and open it in another app.
      </p>
    );
  return (
    // A scrolling area needs a tab stop, so that it can be scrolled with the keyboard.
    <div
      ref={frame}
      tabIndex={0}
      role="group"
      aria-label="Image"
      className={classes('flex h-full', zoom === 1 ? 'overflow-hidden' : 'overflow-auto')}
    >
      <img
        src={url}
        alt={name}
        onError={() => setBroken(true)}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
          setFitting(naturalWidth * Math.min(1, clientWidth / naturalWidth, clientHeight / naturalHeight));
        }}
        style={zoom === 1 || fitting === null ? undefined : { width: fitting * zoom, maxWidth: 'none' }}
        className={classes('m-auto', zoom === 1 && 'max-h-full max-w-full object-contain')}
      />
    </div>
  );
}
