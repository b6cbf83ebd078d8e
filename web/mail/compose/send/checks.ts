/** Problems that prevent sending and that the page detects without the service. */
import { type AttachedFile, isUploading } from '../files/files.ts';
import { tooMuch } from '../files/limits.ts';
import type { DraftLink } from '../links/use-file-links.ts';
import { counted } from '../../../ui/amounts.ts';
import type { Fields, Limits } from '../draft/composition.ts';
import { isAddress } from '../recipients/parse-addresses.ts';

export interface Obstacle {
  text: string;
  /** The field with the problem. */
  field: 'to' | 'files';
}

export function obstacleOf(
  { to, cc, bcc }: Fields,
  files: readonly AttachedFile[],
  links: readonly Pick<DraftLink, 'name' | 'problem'>[],
  limits: Limits,
): Obstacle | null {
  const all = [...to, ...cc, ...bcc];
  const bad = all.find(({ address }) => !isAddress(address));
  const failed = files.find((file) => isUploading(file) && file.problem !== null);
  const unlinked = links.find(({ problem }) => problem !== null);
  const much = tooMuch(files, limits);
  if (bad !== undefined)
    return { field: 'to', text: `“${bad.address}” is not a valid email address. Correct it or remove it.` };
  if (all.length === 0) return { field: 'to', text: 'Add at least one recipient.' };
  if (all.length > limits.recipients)
    return {
      field: 'to',
      text: `A message can have up to ${counted(limits.recipients, 'recipient')}; this one has ${all.length}. Split it into several messages.`,
    };
  if (failed !== undefined && isUploading(failed) && failed.offered !== undefined)
    return {
      field: 'files',
      text: `${failed.name} is too large for mail. Send it as a link or remove it.`,
    };
  if (failed !== undefined)
    return { field: 'files', text: `${failed.name} was not uploaded. Remove it or add it again.` };
  if (unlinked !== undefined)
    return {
      field: 'files',
      text: `The link to ${unlinked.name} could not be created. Remove it or add it again.`,
    };
  return much === null ? null : { field: 'files', text: much };
}
