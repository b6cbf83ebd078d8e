import type { PartFrameProps } from '../../../filters/part.ts';
import { PageHeader } from '../../../ui/page-header.tsx';

/** A part of the filters as a page of its own. */
export function SettingsPart({ children, ...header }: PartFrameProps) {
  return (
    <>
      <PageHeader {...header} />
      {children}
    </>
  );
}
