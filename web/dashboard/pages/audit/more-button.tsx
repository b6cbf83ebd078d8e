import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';

/** The next page: when it comes into sight, or is pressed. */
export function MoreButton({ isBusy, onMore }: { isBusy: boolean; onMore(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  useEffect(() => {
    if (button.current === null || isBusy) return undefined;
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && more.current(), {
      rootMargin: '400px',
    });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, [isBusy]);
  return (
    <div className="mt-4 text-center">
      <Button ref={button} isBusy={isBusy} onClick={onMore}>
        Show older changes
      </Button>
    </div>
  );
}
