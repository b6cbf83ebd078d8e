/** API calls for file links, used by the composer and the list of links. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiProblem, dataOf } from '../../api/client.ts';
import { api, csrfTokenOf } from '../../api/mail.ts';
import type { ChangeFileLink, FileLink } from '../../../src/contract/mail/file-links.ts';
import { dropUpload, uploadUrl } from './upload/uploads.ts';

/** Starts an upload. @returns the id of the upload, `fil_…` @throws ApiProblem; Error if the service does not respond */
export async function createUpload(mailbox: string, file: File): Promise<string> {
  const metadata = { name: file.name.slice(0, 255) || 'file', type: file.type.slice(0, 127) };
  const response = await fetch(`/mail/api/mailboxes/${mailbox}/file-links/uploads`, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(file.size),
      'upload-metadata': Object.entries(metadata)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `${name} ${base64(value)}`)
        .join(','),
      'x-csrf-token': csrfTokenOf(mailbox),
    },
  });
  const id = /\/(fil_[0-9A-Z]{26})$/.exec(response.headers.get('location') ?? '')?.[1];
  if (response.ok && id !== undefined) return id;
  throw new ApiProblem(response.status, (await response.json().catch(() => ({}))) as object);
}

/** Encodes the UTF-8 bytes of a text as base64. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text.toWellFormed())));
}

/** Creates a link to files that are uploaded or uploading. @param client the id of the composer that has the link */
export async function createLink(
  mailbox: string,
  files: readonly string[],
  client: string,
): Promise<FileLink> {
  return dataOf(
    api.POST('/mailboxes/{mailbox}/file-links', {
      params: { path: { mailbox } },
      body: { files: [...files], draft: client },
    }),
  );
}

export async function changeLink(mailbox: string, id: string, body: ChangeFileLink): Promise<FileLink> {
  return dataOf(
    api.PATCH('/mailboxes/{mailbox}/file-links/{id}', { params: { path: { mailbox, id } }, body }),
  );
}

/** Closes a link immediately and deletes its files. Succeeds if the link no longer exists. */
export async function revokeLink(
  mailbox: string,
  { id, files }: Pick<FileLink, 'id' | 'files'>,
): Promise<void> {
  for (const file of files) dropUpload(file.id);
  await dataOf<unknown>(
    api.DELETE('/mailboxes/{mailbox}/file-links/{id}', { params: { path: { mailbox, id } } }),
  ).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
}

/** Deletes an upload that belongs to no link. */
export async function deleteUpload(mailbox: string, id: string): Promise<void> {
  dropUpload(id);
  await fetch(uploadUrl(mailbox, id), {
    method: 'DELETE',
    headers: { 'tus-resumable': '1.0.0', 'x-csrf-token': csrfTokenOf(mailbox) },
  });
}

export const fileLinksQuery = (mailbox: string) =>
  infiniteQueryOptions({
    queryKey: ['file-links', mailbox, 'list'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/file-links', {
          params: { path: { mailbox }, query: pageParam === '' ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });

/** One link with its latest downloads. */
export const fileLinkQuery = (mailbox: string, { id, downloads }: Pick<FileLink, 'id' | 'downloads'>) =>
  queryOptions({
    queryKey: ['file-links', mailbox, id, downloads],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/file-links/{id}', { params: { path: { mailbox, id } }, signal })),
  });
