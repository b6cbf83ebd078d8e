import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { counted } from '../../../ui/amounts.ts';
import { download } from '../../../ui/download.ts';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { refreshPeople } from '../../people/queries.ts';

/** The same number of characters as the service accepts. */
const MAX_CHARACTERS = 5_000_000;

/** Offers all people except those of the directory as a vCard file. */
export async function exportPeople(mailbox: string): Promise<void> {
  try {
    const { cards } = await dataOf(
      api.GET('/mailboxes/{mailbox}/contact-cards', { params: { path: { mailbox } } }),
    );
    download('contacts.vcf', cards, 'text/vcard');
  } catch (error) {
    toastFailure(messageOf(error));
  }
}

/** Imports a vCard file that the user chooses. `input` must be on the page. */
export function useImport(mailbox: string): { input: ReactNode; chooseFile(): void; isImporting: boolean } {
  const field = useRef<HTMLInputElement>(null);
  const { mutate, isPending } = useMutation({
    async mutationFn(file: File) {
      const cards = await file.text();
      if (cards.length > MAX_CHARACTERS)
        throw new Error(
          'The file is larger than 5 MB. Export the contacts without pictures, and import that file.',
        );
      return dataOf(
        api.POST('/mailboxes/{mailbox}/contact-cards', { params: { path: { mailbox } }, body: { cards } }),
      );
    },
    async onSuccess({ imported, skipped }) {
      await refreshPeople(mailbox);
      const done = `${counted(imported, 'contact')} imported.`;
      toast(
        skipped === 0
          ? done
          : `${done} ${counted(skipped, 'entry', 'entries')} without a valid address skipped.`,
      );
    },
    onError: (error) => toastFailure(messageOf(error)),
  });
  return {
    isImporting: isPending,
    chooseFile: () => field.current?.click(),
    input: (
      <input
        ref={field}
        type="file"
        accept=".vcf,text/vcard,text/x-vcard"
        aria-label="vCard file"
        className="hidden"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = '';
          if (file !== undefined) mutate(file);
        }}
      />
    ),
  };
}
