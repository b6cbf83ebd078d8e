import { useEffect, useState } from 'react';
import type { TemplatePieceDetail } from '../../../../src/contract/dashboard/template-pieces.ts';

export type PieceFields = Pick<TemplatePieceDetail, 'name' | 'html' | 'text'>;

interface Unpublished {
  fields: PieceFields;
  /** The `updated_at` of the version that the changes are based on. */
  basedOn: string;
}

/** The changes by the id of the piece, so that they survive a visit to another page. */
const unpublished = new Map<string, Unpublished>();

window.addEventListener('beforeunload', (event) => {
  if (unpublished.size > 0) event.preventDefault();
});

/** Forgets the changes of a deleted piece. */
export function forgetPiece(id: string): void {
  unpublished.delete(id);
}

const fieldsOf = ({ name, html, text }: PieceFields): PieceFields => ({ name, html, text });
const isSame = (one: PieceFields, other: PieceFields): boolean =>
  JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));

/** The state of a layout or partial that is being edited. */
export function usePiece(loaded: TemplatePieceDetail) {
  const [piece, setPiece] = useState(loaded);
  const [{ fields, basedOn }, setWritten] = useState<Unpublished>(
    () => unpublished.get(loaded.id) ?? { fields: fieldsOf(loaded), basedOn: loaded.updated_at },
  );
  /** Increases whenever the editors must replace their text with `fields`. */
  const [revision, setRevision] = useState(0);
  const isChanged = !isSame(fields, piece);
  useEffect(() => {
    if (isChanged) unpublished.set(piece.id, { fields, basedOn });
    else unpublished.delete(piece.id);
  }, [piece.id, isChanged, fields, basedOn]);
  return {
    piece,
    fields,
    basedOn,
    revision,
    isChanged,
    change: (given: Partial<PieceFields>): void =>
      setWritten((before) => ({ ...before, fields: { ...before.fields, ...given } })),
    /**
     * Shows the version that the service has now.
     * @param sent the text that was published, which the user may have changed since; null to discard all changes
     */
    accept(now: TemplatePieceDetail, sent: PieceFields | null): void {
      setPiece(now);
      setWritten((before) => ({
        fields: sent === null || isSame(before.fields, sent) ? fieldsOf(now) : before.fields,
        basedOn: now.updated_at,
      }));
      if (sent === null) setRevision((before) => before + 1);
    },
  };
}
