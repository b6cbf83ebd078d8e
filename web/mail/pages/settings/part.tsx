import type { PartFrameProps } from '../../../filters/part.ts';
import { PageHeader } from '../../../ui/page-header.tsx';

/** Shows a part of the filters as a separate page. */
export function SettingsPart({ children, ...header }: PartFrameProps) {
  return (
    <>
      <PageHeader {...header} />
      {children}
    </>
  );
}
