import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TemplateIcon } from '../../../ui/icons.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { type PieceKind, piecesQuery } from './queries.ts';

const WORDS = {
  layout: {
    names: 'layouts',
    label: 'Layouts',
    empty: 'No layouts yet',
    about: (
      <p>
        A layout surrounds the content of several templates, such as a header with your logo and a footer.{' '}
        <code className="whitespace-nowrap">{'{% content %}'}</code> stands for the content.
      </p>
    ),
  },
  partial: {
    names: 'partials',
    label: 'Partials',
    empty: 'No partials yet',
    about: (
      <p>
        A partial is text that several templates and layouts share, such as a signature. They include it by
        name: <code className="whitespace-nowrap">{'{% include "signature" %}'}</code>.
      </p>
    ),
  },
} as const;

/** The layouts or the partials of a project. */
export function Pieces({ project, kind }: { project: string; kind: PieceKind }) {
  const { data, error, refetch } = useQuery(piecesQuery(project));
  const { names, label, empty, about } = WORDS[kind];
  if (data === undefined)
    return <NotLoaded title={`Could not load the ${names}`} error={error} refetch={refetch} rows={4} />;
  const pieces = data.data.filter((piece) => piece.kind === kind);
  if (pieces.length === 0)
    return (
      <EmptyState icon={<TemplateIcon />} title={empty}>
        {about}
      </EmptyState>
    );
  return (
    <Table
      label={label}
      head={
        <>
          <Th>Name</Th>
          <Th isNumeric>Templates</Th>
          <Th isWideOnly>Published</Th>
        </>
      }
    >
      {pieces.map(({ id, name, templates, updated_at }) => (
        <Row key={id}>
          <Td className="w-full max-w-0">
            <Link to="/templates/pieces/$id" params={{ id }} className={`${rowLink} block truncate`}>
              {name}
            </Link>
          </Td>
          <Td isNumeric>{templates}</Td>
          <Td isWideOnly className="whitespace-nowrap">
            <Time value={updated_at} />
          </Td>
        </Row>
      ))}
    </Table>
  );
}
