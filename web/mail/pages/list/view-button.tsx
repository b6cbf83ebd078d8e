import { Suspense, useId, useRef, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { IconButton } from '../../../ui/button.tsx';
import { icon } from '../../../ui/icons.tsx';
import { positionPopup } from '../../../ui/position-popup.ts';
import type { Listing } from '../../reading/use-listing.ts';

const ViewOptions = lazyPart(() => import('./view-options.tsx'));
const ViewIcon = icon(<path d="M2 4.5h5.5M11 4.5h3M2 11.5h3M8.5 11.5H14M9.25 2.75v3.5M6.75 9.75v3.5" />);

/** Opens the order and the layout of the list. */
export function ViewButton({ listing }: { listing: Listing }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const place = () => {
    if (popup.current !== null && button.current !== null)
      positionPopup(popup.current, button.current, { align: 'end', side: 'bottom' });
  };
  return (
    <>
      <IconButton
        ref={button}
        label="Sort and layout"
        popoverTarget={id}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
      >
        <ViewIcon />
      </IconButton>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Sort and layout"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
        className="fixed inset-auto m-0 max-h-[80dvh] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-4 text-start text-text shadow-high"
      >
        {isOpen && (
          <Suspense fallback={null}>
            <ViewOptions listing={listing} onShown={place} />
          </Suspense>
        )}
      </div>
    </>
  );
}
