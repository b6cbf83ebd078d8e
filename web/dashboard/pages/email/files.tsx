import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { bytes } from '../../../ui/amounts.ts';
import { DownloadIcon } from '../../../ui/icons.tsx';
import { useProject } from '../../shell/session.ts';
import { partUrl } from './queries.ts';

/** The files of an email that was submitted over SMTP, as downloads. */
export function Files({ email: { id, files } }: { email: InspectedEmail }) {
  const project = useProject();
  if (files.length === 0) return null;
  return (
    <section aria-label="Files" className="mb-5">
      <h2 className="mb-2 text-lg">Files</h2>
      <ul className="divide-y divide-line border-y border-line">
        {files.map(({ name, octets, warning }, at) => (
          <li key={at}>
            <a
              href={partUrl(project.id, id, 'file', `?at=${at}`)}
              download
              className="flex min-h-11 items-center gap-3 py-2 hover:bg-sunken"
            >
              <DownloadIcon className="shrink-0 text-muted" />
              <span className="min-w-0 flex-1">
                <span className="block font-medium wrap-anywhere">{name}</span>
                {warning !== null && <span className="block text-sm text-warn">{warning}</span>}
              </span>
              <span className="shrink-0 text-sm text-muted">{bytes(octets)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
